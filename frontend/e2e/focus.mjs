/** Keyboard only: after an action, or when a dialog or menu closes, the focus returns to the control that started it.
 */
import { OWNER, check, journey, signIn } from "./browser.mjs";

const named = (page, name) => page.getByRole("button", { name });

/** Waits until the control has the focus; a fade may be under way. A menu gives it to a part without a size. */
async function has(locator, what) {
  await locator.and(locator.page().locator(":focus")).waitFor({ state: "attached", timeout: 5000 }).catch(() => check(false, `the focus ${what}`));
}

/** A disabled control cannot take the focus, and the key would go to the previous one. */
async function press(locator) {
  await locator.and(locator.page().locator(":enabled")).focus();
  await locator.page().keyboard.press("Enter");
}

/** Opens with the control, closes with Escape. */
async function openAndLeave(page, opener, role, what) {
  await press(opener);
  const opened = page.getByRole(role);
  await opened.waitFor();
  await has(opened.or(opened.locator("*")), `in ${what} once it is open`); // it moves in a task after the paint
  await page.keyboard.press("Escape");
  await opened.waitFor({ state: "hidden" });
  await has(opener, `at ${what} after it was closed`);
}

journey("focus", async (open) => {
  const page = await open();

  await page.goto("/login");
  await press(named(page, "Login"));
  await has(page.getByLabel("Email"), "in the first field that is wrong");
  await page.getByLabel("Email").fill(OWNER.email);
  await page.getByLabel("Password").fill("Wrong1234");
  await press(named(page, "Login"));
  await page.getByRole("alert").waitFor();
  check((await page.getByText("You have entered an invalid email or password").count()) === 1, "the error to be said once");
  await has(named(page, "Login"), "at Login after an error");

  await signIn(page, OWNER);
  await openAndLeave(page, named(page, "Account menu"), "menu", "the account menu");

  await page.goto("/dashboard/main/mycontacts");
  await page.getByRole("row").nth(1).getByRole("checkbox").check();
  await openAndLeave(page, named(page, "View"), "dialog", "View");
  const file = page.waitForEvent("download");
  await press(named(page, "Export Excel"));
  await file;
  await has(named(page, "Export Excel"), "at Export Excel after the export");
  await openAndLeave(page, page.getByRole("row").nth(1).getByRole("button", { name: "Downvote" }), "dialog", "Downvote");
  await press(named(page, "Last page"));
  await has(page.locator("[aria-current=page]"), "at the page after its arrow is disabled");

  await page.goto("/dashboard/settings/usage");
  await press(named(page, "Previous month"));
  await press(named(page, "Next month"));
  await has(named(page, "Previous month"), "at the other arrow after one is disabled");
  await page.locator("[aria-busy=true]").waitFor({ state: "detached" }); // the members of the other month, in another order
  await openAndLeave(page, page.getByRole("row").nth(1).getByRole("button"), "dialog", "the total of a member");

  await page.goto("/dashboard/settings/billing");
  await openAndLeave(page, named(page, "Cancel Subscription"), "dialog", "Cancel Subscription");
});
