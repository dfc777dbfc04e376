import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { ErrorResponse, draw, serve } from "../../testing/render";
import { UndoEmailScreen } from "./UndoEmailScreen";

const user = userEvent.setup();
const AT = { at: "/undoemail?code=abc", me: null };
const OPEN = { success: 1, state: "open", email: "ada@old.example", newemail: "eve@new.example", changed: true };

test("an expired link says what to do", async () => {
  serve({ "POST emailundo": new ErrorResponse(404, { code: 404, message: "expired", context: { scope: "resource", reason: "not_found" } }) });
  draw(<UndoEmailScreen />, AT);
  expect(await screen.findByRole("heading", { level: 1, name: "This link has expired" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Go To Login" })).toHaveAttribute("href", "/login");
});

test("nothing is undone before the button is pressed", async () => {
  const sent = serve({ "POST emailundo": ({ body }: { body: { confirm?: boolean } }) => (body.confirm ? { ...OPEN, state: "used" } : OPEN) });
  draw(<UndoEmailScreen />, AT);
  expect(await screen.findByText("eve@new.example")).toBeVisible();
  expect(sent.map(({ body }) => body)).toEqual([{ code: "abc" }]);
  await user.click(screen.getByRole("button", { name: "Undo the change" }));
  expect(await screen.findByRole("heading", { level: 1, name: "The change has been undone" })).toBeVisible();
  expect(screen.getByText(/ada@old.example/)).toBeVisible();
  expect(sent.at(-1)?.body).toEqual({ code: "abc", confirm: true });
});

test("a used link repeats the outcome", async () => {
  serve({ "POST emailundo": { ...OPEN, state: "used" } });
  draw(<UndoEmailScreen />, AT);
  expect(await screen.findByRole("heading", { level: 1, name: "The change has been undone" })).toBeVisible();
});
