/** Pictures of every screen, state and mail in light, dark and forced colors, in the folder PICTURES.

 Screens are 1440 and 390 px wide. Mails are the pages of the folder MAILS, 600 and 390 px wide. */
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { OWNER, SMALL, WIDE, fits, journey, signIn } from "./browser.mjs";
import { BEFORE, INSIDE } from "./screens.mjs";
import { STATES } from "./states.mjs";
import { APPEARANCES, appear, steady } from "./steady.mjs";

const FOLDER = process.env.PICTURES ?? "../build/pictures";
const { MAILS } = process.env;
const PRINTED = ["mycontacts", "billing", "usage"];
const SANDBOX = [
  ["mailbox", "/sandbox/mail"],
  ["apidocs", "/api/docs"],
];

const save = (page, name) => page.screenshot({ path: `${FOLDER}/${name}.png`, animations: "disabled", caret: "hide" });

/** One picture of the current page for each appearance. */
async function inEveryAppearance(page, name) {
  await steady(page);
  const { width } = page.viewportSize();
  for (const [appearance, media] of Object.entries(APPEARANCES)) {
    await appear(page, media);
    await save(page, `${name}.${appearance}.${width}`);
  }
  await appear(page, APPEARANCES.light);
}

async function screens(page, list) {
  for (const [name, path, heading] of list) {
    await page.goto(path);
    if (heading) await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await page.waitForLoadState("networkidle");
    await inEveryAppearance(page, name);
    if (!PRINTED.includes(name)) continue;
    await page.emulateMedia({ media: "print" });
    await save(page, `${name}.print.${page.viewportSize().width}`);
    await page.emulateMedia({ media: "screen" });
  }
}

/** Each state has its own page, with the storage of the signed-in one. */
async function states(open, viewport, storageState) {
  for (const [name, path, steps] of STATES) {
    const page = await open({ viewport, ...(path.startsWith("/dashboard") && { storageState }) });
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.waitForLoadState("networkidle");
    await steps(page);
    await inEveryAppearance(page, name);
    await page.context().close();
  }
}

for (const viewport of [WIDE, SMALL]) {
  journey(`screens at ${viewport.width}`, async (open) => {
    mkdirSync(FOLDER, { recursive: true });
    const page = await open({ viewport });
    await screens(page, [...BEFORE, ...SANDBOX]);
    await signIn(page, OWNER);
    await screens(page, INSIDE);
  });

  journey(`states at ${viewport.width}`, async (open) => {
    mkdirSync(FOLDER, { recursive: true });
    const page = await open({ viewport });
    await signIn(page, OWNER);
    await states(open, viewport, await page.context().storageState());
  });
}

journey("mails", async (open) => {
  mkdirSync(FOLDER, { recursive: true });
  const page = await open();
  for (const viewport of [{ width: 600, height: 900 }, SMALL]) {
    await page.setViewportSize(viewport);
    for (const file of readdirSync(MAILS)) {
      const name = `mail-${file.replace(".html", "")}`;
      await page.setContent(readFileSync(`${MAILS}/${file}`, "utf8"));
      await fits(page, `${name} at ${viewport.width} px`);
      await inEveryAppearance(page, name);
    }
  }
});
