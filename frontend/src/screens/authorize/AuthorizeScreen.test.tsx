import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { redirectTo } from "../../lib/redirect";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { AuthorizeScreen } from "./AuthorizeScreen";

const user = userEvent.setup();
const AT = "/dashboard/authorize?client_id=c1&state=s1&scope=read+reveal";
const READ = "GET oauth/authorize";
const DECIDE = "POST oauth/authorize";
const ASKED = { redirect: "", name: "Helper", host: "", answered: "127.0.0.1:33418", scopes: ["read", "reveal", "write:usercontact"] };

beforeEach(() => vi.mocked(redirectTo).mockClear());

test("an unknown application shows an error and does not redirect", async () => {
  serve({ [READ]: new ErrorResponse(400, { code: 400, message: "This application is not registered here." }) });
  draw(<AuthorizeScreen />, { at: AT });
  expect(await screen.findByText("This application is not registered here.")).toBeVisible();
  expect(redirectTo).not.toHaveBeenCalled();
});

test("an invalid request is shown, and returns to the application only by a click", async () => {
  serve({ [READ]: { ...ASKED, redirect: "http://127.0.0.1:33418/?error=invalid_request" } });
  draw(<AuthorizeScreen />, { at: AT });
  expect(await screen.findByRole("heading", { name: "Helper cannot be connected" })).toBeVisible();
  expect(screen.getByText("127.0.0.1:33418")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Allow" })).toBeNull();
  expect(redirectTo).not.toHaveBeenCalled();
  await user.click(screen.getByRole("button", { name: "Return to the application" }));
  expect(redirectTo).toHaveBeenCalledWith("http://127.0.0.1:33418/?error=invalid_request");
});

test("the user can allow some of the requested scopes", async () => {
  const sent = serve({ [READ]: ASKED, [DECIDE]: { redirect: "http://127.0.0.1:33418/?code=1" } });
  draw(<AuthorizeScreen />, { at: AT });
  expect(await screen.findByRole("heading", { name: "Connect Helper" })).toBeVisible();
  expect(screen.getByText(/Unknown publisher/)).toBeVisible();
  expect(screen.getByText("127.0.0.1:33418")).toBeVisible();
  expect(screen.getByLabelText("create and change usercontact")).toBeChecked();
  await user.click(screen.getByLabelText(/reveal contact data/));
  await user.click(screen.getByRole("button", { name: "Allow" }));
  await waitFor(() => expect(redirectTo).toHaveBeenCalledWith("http://127.0.0.1:33418/?code=1"));
  expect(sent.at(-1)!.body).toEqual({ client_id: "c1", state: "s1", scope: "read reveal", allow: true, scopes: ["read", "write:usercontact"] });
});

test("a known publisher is shown, and cancelling denies the request", async () => {
  const sent = serve({ [READ]: { ...ASKED, host: "assistant.example" }, [DECIDE]: { redirect: "http://127.0.0.1:33418/?error=access_denied" } });
  draw(<AuthorizeScreen />, { at: AT });
  expect(await screen.findByText("assistant.example")).toBeVisible();
  expect(screen.queryByText(/Unknown publisher/)).toBeNull();
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(redirectTo).toHaveBeenCalled());
  expect(sent.at(-1)!.body.allow).toBe(false);
});
