/** A screen fades in for 500 ms and out for 300, and can be used at once. With reduced motion it does neither. */
import { OWNER, check, journey, signIn } from "./browser.mjs";

/** The lengths of the animations of a screen that run in the next frames, by name. */
const animations = (page) =>
  page.evaluate(async () => {
    const found = {};
    for (let frame = 0; frame < 60 && Object.keys(found).length < 2; frame++) {
      await new Promise(requestAnimationFrame);
      for (const animation of document.getAnimations()) {
        const name = animation.animationName;
        if (name?.startsWith("screen-")) found[name] = animation.effect.getTiming().duration;
      }
    }
    return found;
  });

/** Follows a link of the menu and returns the animations. */
async function follow(page, link) {
  const seen = animations(page);
  await page.getByRole("link", { name: link }).first().click();
  return seen;
}

journey("transitions", async (open) => {
  const page = await open({ reducedMotion: "no-preference" });
  await signIn(page, OWNER);
  await page.getByRole("heading", { name: "Good to see you, Olivia" }).waitFor();
  await follow(page, "My Contacts"); // fetches its script
  await page.getByRole("button", { name: "View" }).waitFor();
  await follow(page, "Dashboard");
  await page.getByRole("heading", { name: "Good to see you, Olivia" }).waitFor();

  const moved = await follow(page, "My Contacts");
  check(moved["screen-in"] === 500 && moved["screen-out"] === 300, `500 ms in and 300 ms out, not ${JSON.stringify(moved)}`);

  // While the previous screen fades, the new one can be clicked.
  await page.getByRole("link", { name: "Dashboard" }).first().click();
  await page.getByRole("heading", { name: "Good to see you, Olivia" }).waitFor();
  await page.getByRole("link", { name: "My Contacts" }).first().click();
  const { x, y, width, height } = await page.getByRole("button", { name: "Verified" }).boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
  await page.waitForURL("**/mycontacts?verified=1");

  await page.waitForFunction(() => document.getAnimations().every((animation) => animation.animationName !== "screen-out"));
  await page.emulateMedia({ reducedMotion: "reduce" });
  const still = await follow(page, "Dashboard");
  check(!("screen-out" in still), `nothing to fade for readers who want no motion, not ${JSON.stringify(still)}`);
});
