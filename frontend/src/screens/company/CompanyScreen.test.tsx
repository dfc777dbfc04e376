import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Match } from "../../api/people";
import { contactAnswer } from "../../testing/answers";
import { type Sent, draw, serve } from "../../testing/render";
import { CompanyScreen } from "./CompanyScreen";

const user = userEvent.setup();
const ROUTE = "/dashboard/main/companysearch/:company";
const AT = "/dashboard/main/companysearch/O'Neil%20%26%20Co";

const match = (part: Partial<Match>): Match => ({
  linkedinurl: "https://www.linkedin.com/in/p1",
  full_name: "Ada Sales",
  title: "Head of Sales",
  company: "O'Neil & Co",
  company_domain: "oneil.example",
  industry: "Software",
  company_size: "51-200",
  country: "DEU",
  city: "Berlin",
  has: ["directdial"],
  owned: [],
  ...part,
});
const FACETS: Record<string, { value: string; count: number }[]> = {
  function: [{ value: "sales", count: 7 }, { value: "hr", count: 2 }],
  country: [{ value: "DEU", count: 6 }, { value: "FRA", count: 3 }],
};
const replies = (found: Match[]) => ({
  "POST searchpeople": ({ body }: Sent) => ({ meta: { count: body.function ? 7 : found.length && 9, estimated: false, next: null }, resource: found }),
  "POST searchfacets": ({ body }: Sent) => ({ estimated: false, resource: FACETS[body.field] }),
  "GET leads/_table/usercontact": { resource: [contactAnswer(4, { name: "Rosa Sato" })], meta: { count: 3 } },
});

test("a company shows its people by function and country, and who was revealed", async () => {
  const sent = serve(replies([match({})]));
  const { where } = draw(<CompanyScreen />, { at: AT, route: ROUTE });
  expect(await screen.findByRole("heading", { level: 1, name: "O'Neil & Co" })).toBeVisible();
  expect(await screen.findByText(/Software · 51–200 employees/)).toBeVisible();
  expect(screen.getByRole("link", { name: "oneil.example" })).toHaveAttribute("href", "https://oneil.example");
  expect(await screen.findByText("3 of 9 people")).toBeVisible();
  expect(screen.getByRole("link", { name: /^Rosa Sato/ })).toHaveAttribute("href", "/dashboard/main/mycontacts?search=O'Neil%20%26%20Co&by=team&contact=4");
  const contacts = sent.find(({ path }) => path === "leads/_table/usercontact")!;
  expect(contacts.query.get("filter")).toBe("(company ilike 'O''Neil & Co') and (clientid=1) and (deleted=0)");

  const functions = within(screen.getByRole("group", { name: "People by function" }));
  const sales = functions.getByRole("button", { name: "Sales 7" });
  await user.click(sales);
  expect(sales).toHaveAttribute("aria-pressed", "true");
  await waitFor(() => expect(where()).toContain("function=sales"));
  await waitFor(() => expect(sent.findLast(({ path }) => path === "searchpeople")!.body).toEqual({ company: ["O'Neil & Co"], function: ["sales"], limit: 25 }));
  await user.click(sales);
  await waitFor(() => expect(where()).not.toContain("function"));
});

test("a company that nobody works for says so", async () => {
  serve(replies([]));
  draw(<CompanyScreen />, { at: AT, route: ROUTE });
  expect(await screen.findByText("The directory has nobody of this company.")).toBeVisible();
});
