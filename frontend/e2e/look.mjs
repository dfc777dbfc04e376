/** Every screen at two widths: drawn, clean for axe, no layout wider than the window. Pictures into SHOTS. */
import { OWNER, SMALL, WIDE, accessible, check, journey, picture, signIn } from "./browser.mjs";
import { BEFORE, INSIDE } from "./screens.mjs";

async function look(page, [name, path, heading]) {
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.waitForLoadState("networkidle");
  await picture(page, name);
  await accessible(page, name);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  check(wider <= 0, `${name} to fit its window, it is ${wider} px wider`);
  if (page.viewportSize().width >= WIDE.width) await everyColumnInView(page, name);
}

/** Tables scroll sideways rather than cut a value, but not in a window of the usual width. */
async function everyColumnInView(page, name) {
  const outOfView = await page.getByRole("region").evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));
  check(outOfView.every((pixels) => pixels <= 0), `the tables of ${name} to fit, not ${outOfView} px more`);
}

/** The page of the API finds its key by itself. */
async function lookAtDocs(page) {
  await page.goto("/api/docs");
  await page.getByRole("heading", { level: 2, name: "Authentication" }).waitFor();
  await picture(page, "apidocs");
}

journey("look", async (open) => {
  await lookAtDocs(await open());
  for (const viewport of [WIDE, SMALL]) {
    const page = await open({ viewport });
    for (const screen of BEFORE) await look(page, screen);
    await signIn(page, OWNER);
    for (const screen of INSIDE) await look(page, screen);
  }
});
