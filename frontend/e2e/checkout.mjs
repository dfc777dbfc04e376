/** From sign-in through a reveal to a payment: by keyboard only, by touch on a phone, in the dark, in forced colors. */
import { OWNER, SMALL, accessible, check, fits, journey, unfollowed } from "./browser.mjs";

const MAX_TABS = 60;

/** Moves to the control by Tab, backwards if it comes before the focus. The focus must be visible there. */
async function tabTo(control) {
  await control.waitFor();
  const key = () =>
    control.evaluate((element) => {
      const now = document.activeElement;
      if (element === now) return null;
      const isBefore = now.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING;
      return now !== document.body && isBefore ? "Shift+Tab" : "Tab";
    });
  for (let tabs = 0; ; tabs += 1) {
    const next = await key();
    if (!next) break;
    check(tabs < MAX_TABS, `${control} to be reached by the keyboard`);
    await control.page().keyboard.press(next);
  }
  const isSeen = await control.evaluate((element) => [element, element.closest("label")].some((part) => part && getComputedStyle(part).outlineStyle !== "none"));
  check(isSeen, `the focus to be seen at ${control}`);
}

const KEYBOARD = {
  press: async (control, key = "Enter") => {
    await tabTo(control);
    await control.page().keyboard.press(key);
  },
  type: async (field, text) => {
    await tabTo(field);
    await field.page().keyboard.type(text);
  },
};
const TOUCH = {
  press: (control) => control.tap(),
  type: async (field, text) => {
    await field.tap();
    await field.page().keyboard.type(text);
  },
};
const MOUSE = { press: (control) => control.click(), type: (field, text) => field.fill(text) };

/** `look` is called on every screen along the way. */
async function walk(page, { press, type }, person, look) {
  const go = async (name) => {
    const menu = page.getByRole("button", { name: "Menu", exact: true });
    const link = page.getByRole("link", { name, exact: true }).filter({ visible: true }).first();
    await menu.or(link).first().waitFor();
    if (await menu.isVisible()) await press(menu);
    await press(link);
  };

  await page.goto("/login");
  await type(page.getByLabel("Email"), OWNER.email);
  await type(page.getByLabel("Password"), OWNER.password);
  await look("sign-in");
  await press(page.getByRole("button", { name: "Login" }));
  await page.waitForURL("**/dashboard/main/dashboardmain");

  await go("Search");
  await type(page.getByLabel("Profile URL"), `https://www.linkedin.com/in/${person}/`);
  for (const kind of ["Cell Number", "Work Email", "Secondary Email"]) await press(page.getByRole("checkbox", { name: kind }), "Space");
  await press(page.getByRole("button", { name: "Search", exact: true }));
  const hidden = page.getByRole("button", { name: /^Reveal (Cell|Work|Secondary)/ });
  await hidden.first().waitFor();
  await look("a person");
  const before = await hidden.count();
  await press(hidden.first());
  await hidden.nth(before - 1).waitFor({ state: "detached" });

  await go("My Contacts");
  const tick = page.getByRole("row").nth(1).getByRole("checkbox");
  await press(tick, "Space");
  await page.getByRole("group", { name: "1 selected" }).waitFor();
  await look("a selection");

  await go("Dashboard");
  await press(page.getByRole("main").getByRole("button", { name: "Upgrade" }));
  await press(page.getByRole("link", { name: /See credit add-ons$/ }));
  await press(page.getByRole("button", { name: /^Buy/ }).first());
  const dialog = page.getByRole("dialog", { name: "100 Cell Numbers" });
  await type(dialog.getByLabel("Card number"), "4242424242424242");
  await type(dialog.getByLabel("Expiry"), "1234");
  await type(dialog.getByLabel("CVC"), "123");
  await look("a payment");
  await press(dialog.getByRole("button", { name: "Pay $25" }));
  await page.getByText("Payment successful! Your credits have been added.").waitFor();
}

const WAYS = [
  ["by the keyboard alone", KEYBOARD, {}, "dara-meyer-1979"],
  ["by touch on a phone", TOUCH, { viewport: SMALL, hasTouch: true, isMobile: true }, "paula-torres-1981"],
  ["in the dark", MOUSE, { colorScheme: "dark" }, "tara-johnson-1986"],
  ["in forced colors", KEYBOARD, { forcedColors: "active" }, "ruth-smith-1985"],
];

// The system chooses the colors; axe compares them with backgrounds that are not drawn.
const withoutColors = { "color-contrast": { enabled: false } };

for (const [name, hand, options, person] of WAYS) {
  journey(`checkout ${name}`, async (open) => {
    const page = await open(options);
    await unfollowed(page);
    await walk(page, hand, person, async (screen) => {
      await fits(page, screen);
      await accessible(page, screen, "html", options.forcedColors && withoutColors);
    });
  });
}
