/** Register, fill in the second step, open the mailed link and land in the app; then forget the password and set a new
 one. */
import { check, journey, logIn, picture } from "./browser.mjs";
import { linkIn, mailTo } from "./mail.mjs";

const EMAIL = `nora.new${Date.now()}@fresh-company.example.com`;
const FIRST = "Fresh1234";
const SECOND = "Other5678";

async function register(page) {
  await page.goto("/login");
  await page.getByRole("link", { name: "Sign up" }).click();
  await page.getByRole("button", { name: "Sign up" }).click();
  for (const text of ["Please enter your first name", "Please enter your last name", "Please enter your email address", "Please enter your password"]) {
    await page.getByText(text).waitFor();
  }
  await page.getByLabel("First Name").fill("Nora");
  await page.getByLabel("Last Name").fill("New");
  await page.getByLabel("Business Email").fill("nora@gmail.com");
  await page.getByLabel("Password").fill("short");
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByText("Please use your business email to register").waitFor();
  await page.getByLabel("Business Email").fill("owner@acme-demo.com");
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByText("Password length must be atleast 8 characters").waitFor();
  await page.getByLabel("Password").fill(FIRST);
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByText("Please accept the terms and conditions").waitFor();
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByText("This email already exist , please try with another").waitFor();
  check((await page.getByLabel("First Name").inputValue()) === "Nora", "the form to keep what was typed");
  await page.getByLabel("Business Email").fill(EMAIL);
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.waitForURL("**/tellusmore");
}

async function tellUsMore(page) {
  await page.getByRole("heading", { name: "Tell us a little more..." }).waitFor();
  await page.getByRole("button", { name: "Submit" }).click();
  await page.getByText("Please enter your company name").waitFor();
  await page.getByLabel("Company").fill("Fresh Company");
  await page.getByRole("textbox", { name: "Phone" }).fill("+49");
  await page.getByRole("button", { name: "Submit" }).click();
  await page.getByText("Please Enter Valid Phone Number").waitFor();
  await page.getByRole("textbox", { name: "Phone" }).fill("+4930901820");
  await page.getByLabel("Country").selectOption("Germany");
  await page.getByLabel("Sales people").fill("7");
  await page.getByLabel("Department").fill("Sales");
  await picture(page, "tellusmore");
  await page.getByRole("button", { name: "Submit" }).click();
  await page.waitForURL("**/verifyemail");
  await page.getByText(EMAIL).waitFor();
  await picture(page, "verifyemail");
}

journey("signup", async (open) => {
  const page = await open();
  await register(page);
  await tellUsMore(page);

  const stranger = await open();
  await logIn(stranger, { email: EMAIL, password: FIRST });
  await stranger.waitForURL("**/verifyemail");

  await page.goto(linkIn(await mailTo(EMAIL, "/emailverification"), "/emailverification"));
  await page.waitForURL("**/dashboard/main/dashboardmain");
  await page.getByRole("heading", { name: "Good to see you, Nora" }).waitFor();
  await page.getByRole("button", { name: "View Plans" }).first().waitFor();
  await page.goto("/dashboard/settings/myaccount");
  check((await page.getByLabel("Company").inputValue()) === "Fresh Company", "the company to be kept");

  await stranger.getByRole("heading", { level: 1 }).hover();
  await stranger.mouse.move(5, 5);
  await stranger.waitForURL("**/login");
  await stranger.getByRole("link", { name: "Forgot password?" }).click();
  await stranger.getByRole("heading", { name: "Forgot password?" }).waitFor();
  await stranger.getByLabel("Email").fill(EMAIL);
  await stranger.getByRole("button", { name: "Send reset link" }).click();
  await stranger.goto(linkIn(await mailTo(EMAIL, "/resetpassword"), "/resetpassword"));
  check((await stranger.getByLabel("Email").inputValue()) === EMAIL, "the address of the link to be shown");
  await stranger.getByLabel("Password", { exact: true }).fill(SECOND);
  await stranger.getByLabel("Confirm Password").fill(FIRST);
  await stranger.getByRole("button", { name: "Reset password" }).click();
  await stranger.getByText("Both password doesn't match").waitFor();
  await stranger.getByLabel("Confirm Password").fill(SECOND);
  // The reset ends all earlier sessions, and an open page notices.
  const told = page.getByText("Your account access session is expired").waitFor();
  await stranger.getByRole("button", { name: "Reset password" }).click();
  await stranger.waitForURL("**/login");
  await logIn(stranger, { email: EMAIL, password: SECOND });
  await stranger.waitForURL("**/dashboard/main/dashboardmain");

  await told;
  await page.waitForURL("**/login");
});
