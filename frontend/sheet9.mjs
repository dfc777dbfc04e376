import { chromium } from "@playwright/test";
const b = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox"] });
const p = await b.newPage({ viewport: { width: 1580, height: 700 } });
await p.goto("file:///tmp/sheet.html"); await p.waitForTimeout(500);
await p.screenshot({ path: process.argv[2], fullPage: true }); await b.close();
