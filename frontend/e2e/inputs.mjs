/** Invalid input is reported at its field and never changed: addresses, options, numbers, a photo chosen twice. */
import { OWNER, SMALL, accessible, check, journey, picture, signIn } from "./browser.mjs";

const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const NO_COUNT = "Please enter a whole number from 0 to 1,000,000";

/** Playwright counts a text outside of the window as visible. */
async function inView(page, text) {
  await page.getByText(text).waitFor();
  const { x, width } = await page.getByText(text).boundingBox();
  check(x >= 0 && x + width <= page.viewportSize().width, `"${text}" in the window, not from ${x} to ${x + width}`);
}

async function wrongSearches(page) {
  await page.goto("/dashboard/main/search");
  const url = page.getByLabel("Profile URL");
  await url.fill("https://www.linkedin.com/in/dara-meyer-1979/");
  await url.press("Enter");
  await inView(page, "Please choose options");
  await picture(page, "search-nooption");
  await accessible(page, "the search without an option");
  await page.getByRole("checkbox", { name: "Work Email" }).check();
  await page.getByText("Please choose options").waitFor({ state: "detached" });
  for (const wrong of ["https://notlinkedin.com/in/x", "https://linkedin.com.evil.example/in/x", "https://www.linkedin.com/"]) {
    await url.fill(wrong);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("Please input correct url").waitFor();
    const described = await url.evaluate((field) => document.getElementById(field.getAttribute("aria-describedby"))?.textContent);
    check(described === "Please input correct url", `the error at its field for ${wrong}, not ${described}`);
  }
  await picture(page, "search-wrongurl");
}

async function wrongNumbers(page) {
  await page.goto("/dashboard/settings/myaccount");
  for (const label of ["Sales people", "Leads needed per month"]) {
    const field = page.getByLabel(label);
    await field.fill("");
    await field.pressSequentially("-2");
    await page.getByText(NO_COUNT).first().waitFor();
    check((await field.inputValue()) === "-2", `${label} to stay as typed, not ${await field.inputValue()}`);
  }
  await page.getByRole("button", { name: "Save" }).click();
  await picture(page, "myaccount-numbers");
  await accessible(page, "the profile with wrong numbers");
  check((await page.getByText("Profile updated successfully!").count()) === 0, "nothing to be saved");
}

async function samePhotoTwice(page) {
  const photo = { name: "me.png", mimeType: "image/png", buffer: PIXEL };
  const shown = page.locator("main img[src^='blob:']");
  for (let round = 0; round < 2; round++) {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Choose photo" }).click()]);
    await chooser.setFiles(photo);
    await shown.waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await shown.waitFor({ state: "detached" });
  }
}

journey("inputs", async (open) => {
  for (const options of [{}, { viewport: SMALL }]) {
    const page = await open(options);
    await signIn(page, OWNER);
    await wrongSearches(page);
    await wrongNumbers(page);
    await samePhotoTwice(page);
  }
});
