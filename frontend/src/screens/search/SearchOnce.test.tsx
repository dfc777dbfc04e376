import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { MASKED } from "../../testing/answers";
import { draw, serve } from "../../testing/render";
import { SearchScreen } from "./SearchScreen";

const user = userEvent.setup();

async function ask() {
  await user.type(screen.getByLabelText("Profile URL"), "https://www.linkedin.com/in/maya/");
  await user.click(screen.getByRole("checkbox", { name: "Cell Number" }));
  await user.click(screen.getByRole("button", { name: "Search" }));
}

test("a search that is under way is sent once", async () => {
  let answer!: (value: unknown) => void;
  const held = new Promise((resolve) => {
    answer = resolve;
  });
  const sent = serve({ "POST searchurl": () => held });
  draw(<SearchScreen />);
  await ask();
  await user.click(screen.getByRole("button", { name: "Search" }));
  await user.type(screen.getByLabelText("Profile URL"), "{Enter}");
  answer({ data: [MASKED] });
  expect(await screen.findByText("MAYA THORNTON")).toBeVisible();
  expect(sent).toHaveLength(1);
});

test("the second click of a double click is ignored, and a later click searches again", async () => {
  const sent = serve({ "POST searchurl": { data: [MASKED] } });
  draw(<SearchScreen />);
  await ask();
  expect(await screen.findByText("MAYA THORNTON")).toBeVisible();
  const button = screen.getByRole("button", { name: "Search" });
  fireEvent.click(button, { detail: 2 });
  expect(sent).toHaveLength(1);
  fireEvent.click(button);
  await waitFor(() => expect(sent).toHaveLength(2));
});
