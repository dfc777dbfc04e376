/** Two-step sign-in: set up with an authenticator app, sign in with its code and with a recovery code, turn it off. */
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { MEMBER, SMALL, accessible, check, journey, logIn, picture, signIn } from "./browser.mjs";

const SETTINGS = "/dashboard/settings/password";
const STEP_MS = 30_000;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The code that an authenticator app shows (RFC 6238), or will show some steps of 30 seconds later. */
function codeOf(secret, later = 0) {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS) + later));
  const mac = createHmac("sha1", key).update(step).digest();
  const word = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
  return String(word % 1_000_000).padStart(6, "0");
}

async function turnsOn(page) {
  await page.goto(SETTINGS);
  await page.getByRole("heading", { name: "Two-step sign-in is off" }).waitFor();
  await accessible(page, "two-step sign-in, off");
  await picture(page, "twostep-off");
  await page.getByRole("button", { name: "Set up" }).click();
  const dialog = page.getByRole("dialog", { name: "Set up" });
  const password = dialog.getByLabel("Password");
  await password.fill("Wrong1234");
  await password.press("Enter");
  await page.getByText("Your password is not correct").waitFor();
  await password.fill(MEMBER.password);
  await dialog.getByRole("button", { name: "Set up" }).click();
  const secret = (await page.locator("code").innerText()).replaceAll(" ", "");
  check(/^[A-Z2-7]{32}$/.test(secret), `a key of 32 characters, not ${secret}`);
  await accessible(page, "the setup of two-step sign-in");
  await picture(page, "twostep-setup");
  const code = page.getByLabel("Code", { exact: true });
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByText("Please enter the code").waitFor();
  await code.fill("000000");
  await code.press("Enter");
  await page.getByText("This code is not correct").waitFor();
  await code.fill(codeOf(secret, -1));
  await code.press("Enter");
  const list = page.getByRole("list", { name: "Save your recovery codes" });
  await list.waitFor();
  const codes = await list.getByRole("listitem").allInnerTexts();
  check(codes.length === 10, `ten recovery codes, not ${codes.length}`);
  await accessible(page, "the recovery codes");
  await picture(page, "twostep-codes");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download" }).click()]);
  check(readFileSync(await download.path(), "utf8") === `${codes.join("\n")}\n`, "the file to have the codes");
  await page.getByRole("button", { name: "I have saved them" }).click();
  await page.getByRole("heading", { name: "Two-step sign-in is on" }).waitFor();
  await picture(page, "twostep-on");
  return { secret, codes };
}

async function sendPassword(page) {
  await logIn(page, MEMBER);
  await page.getByRole("heading", { name: "Enter your code" }).waitFor();
}

async function signsInWithCode(open, secret) {
  const page = await open({ viewport: SMALL });
  await sendPassword(page);
  const code = page.getByLabel("Code", { exact: true });
  await code.waitFor();
  check(await code.evaluate((field) => field === document.activeElement), "the code to have the focus");
  await accessible(page, "the second step");
  await picture(page, "login-code");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Please enter the code").waitFor();
  await code.fill("123 456");
  await code.press("Enter");
  await page.getByText("This code is not correct").waitFor();
  await picture(page, "login-code-wrong");
  await code.fill(codeOf(secret));
  await code.press("Enter");
  await page.waitForURL("**/dashboardmain");
}

async function signsInWithRecoveryCode(open, codes) {
  const page = await open();
  await sendPassword(page);
  await page.getByRole("button", { name: "Back to login" }).click();
  await page.getByRole("heading", { name: "Login" }).waitFor();
  await sendPassword(page);
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(codes[0]);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("**/dashboardmain");
}

/** A sign-in with a provider asks for the code, too. */
async function signsInWithProvider(open, codes) {
  const page = await open();
  await page.goto("/login");
  const [popup] = await Promise.all([page.waitForEvent("popup"), page.getByRole("button", { name: "Continue with Google" }).click()]);
  await popup.getByLabel("Email").fill(MEMBER.email);
  await popup.getByLabel("Name").fill("Max Member");
  await Promise.all([popup.waitForEvent("close"), popup.getByRole("button", { name: "Continue" }).click()]);
  await page.getByRole("heading", { name: "Enter your code" }).waitFor();
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(codes[2]);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("**/dashboardmain");
}

async function turnsOff(page, codes) {
  await page.getByRole("button", { name: "New recovery codes" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Password").fill(MEMBER.password);
  await dialog.getByRole("button", { name: "Get new codes" }).click();
  await dialog.getByText("Please enter the code").waitFor();
  await dialog.getByRole("button", { name: "Use a recovery code" }).click();
  await dialog.getByLabel("Recovery code").fill(codes[1]);
  await accessible(page, "the proof of the user", "[role=dialog]");
  await picture(page, "twostep-dialog");
  await dialog.getByRole("button", { name: "Get new codes" }).click();
  const list = page.getByRole("list", { name: "Save your recovery codes" });
  await list.waitFor();
  const fresh = await list.getByRole("listitem").allInnerTexts();
  await page.getByRole("button", { name: "I have saved them" }).click();
  await page.getByRole("button", { name: "Turn off" }).click();
  await dialog.getByLabel("Password").fill(MEMBER.password);
  await dialog.getByRole("button", { name: "Use a recovery code" }).click();
  await dialog.getByLabel("Recovery code").fill(fresh[0]);
  await dialog.getByRole("button", { name: "Turn off" }).click();
  await page.getByRole("heading", { name: "Two-step sign-in is off" }).waitFor();
}

journey("twostep", async (open) => {
  const page = await open();
  await signIn(page, MEMBER);
  const { secret, codes } = await turnsOn(page);
  await signsInWithCode(open, secret);
  await signsInWithRecoveryCode(open, codes);
  await signsInWithProvider(open, codes);
  await turnsOff(page, codes);
});
