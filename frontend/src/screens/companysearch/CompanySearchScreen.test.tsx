import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { draw, serve } from "../../testing/render";
import { CompanySearchScreen } from "./CompanySearchScreen";

const user = userEvent.setup();
const AT = "/dashboard/main/companysearch";
const ACME = { company: "Acme", company_domain: "acme.example", people: 12, countries: ["DEU", "FRA", "USA"], industry: "Software", company_size: "51-200", functions: { sales: 7, hr: 1, "": 4 } };

test("companies link to their pages, and filters are stored in the URL", async () => {
  const sent = serve({ "POST searchcompanies": { meta: { count: 1, estimated: false, next: null }, resource: [ACME] }, "POST searchfacets": { estimated: false, resource: [{ value: "11-50", count: 3 }, { value: "51-200", count: 1 }] }, "GET leads/_table/savedsearch": { resource: [] } });
  const { where } = draw(<CompanySearchScreen />, { at: AT });
  expect(await screen.findByText("1 company")).toBeVisible();
  expect(screen.getByRole("link", { name: "Acme" })).toHaveAttribute("href", "/dashboard/main/companysearch/Acme");
  expect(screen.getByText("Sales 7, Human resources 1")).toBeVisible();
  expect(screen.getByText("3 countries")).toHaveAttribute("title", "Germany, France, and United States");
  expect(screen.getByText("51–200")).toBeVisible();
  await user.type(screen.getByRole("combobox", { name: "Company size" }), "51-200{Enter}");
  await waitFor(() => expect(where()).toBe(`${AT}?company_size=51-200`));
  await waitFor(() => expect(sent.findLast(({ path }) => path === "searchcompanies")!.body).toEqual({ company_size: ["51-200"], limit: 25 }));
});
