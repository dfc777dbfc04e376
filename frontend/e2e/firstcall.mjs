/** The first call of the API: the example that the button copies is run as it is, in each language, and finds a person. */
import { execFileSync } from "node:child_process";
import { BASE, OWNER, check, journey, signIn } from "./browser.mjs";

const PROGRAMS = [
  ["curl", "bash", "-c"],
  ["Python", "python3", "-c"],
  ["JavaScript", process.execPath, "--input-type=module", "-e"],
];

journey("firstcall", async (open) => {
  const page = await open({ permissions: ["clipboard-read", "clipboard-write"] });
  await signIn(page, OWNER);
  await page.goto("/dashboard/settings/api");
  const quick = page.getByRole("region", { name: "Quick start" });
  for (const [language, ...command] of PROGRAMS) {
    await quick.getByText(language, { exact: true }).click();
    await quick.getByRole("radio", { name: language, checked: true }).waitFor();
    await quick.getByRole("button", { name: "Copy example" }).click();
    await page.getByText("Copied").first().waitFor();
    const program = await page.evaluate(() => navigator.clipboard.readText());
    check(program.includes(BASE), `the address of this server in ${program}`);
    const printed = execFileSync(command[0], [...command.slice(1), program], { encoding: "utf8", stdio: "pipe" });
    check(printed.includes("ada.found@test.example"), `${language} to find a person, it printed ${printed}`);
  }
});
