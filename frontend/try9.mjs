import { chromium } from "@playwright/test";
const BASE = "http://127.0.0.1:8097";
const b = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox"] });
for (const [w, h] of [[1440, 900], [1280, 800]]) {
const p = await (await b.newContext({ viewport: { width: w, height: h }, serviceWorkers: "block" })).newPage();
p.on("pageerror", e => console.log("PAGEERROR", e.message));
await p.goto(BASE + "/login"); await p.getByLabel("Email").fill("owner@acme-demo.com"); await p.getByLabel("Password").fill("Demo1234");
await p.getByRole("button", { name: "Login" }).click(); await p.waitForURL("**/dashboardmain");
await p.goto(BASE + "/dashboard/main/mycontacts"); await p.getByRole("row").nth(3).waitFor();
await p.getByRole("row").nth(1).locator("td").nth(1).click(); await p.getByRole("dialog").waitFor(); await p.waitForTimeout(600);
await p.screenshot({ path: `/tmp/dr1-${w}.png` });
await p.getByRole("row").nth(3).locator("td").nth(1).click(); await p.waitForTimeout(600);
console.log(await p.getByRole("dialog").getByRole("heading").first().innerText(), await p.evaluate(() => document.activeElement.outerHTML.slice(0, 80)));
await p.mouse.wheel(0, 400); await p.waitForTimeout(200); console.log("scroll", await p.evaluate(() => scrollY));
await p.screenshot({ path: `/tmp/dr2-${w}.png` });
await p.keyboard.press("Escape"); await p.waitForTimeout(500); console.log("closed", await p.getByRole("dialog").count(), p.url(), await p.evaluate(() => document.activeElement.outerHTML.slice(0, 80)));
}
await b.close();
