import { expect, test } from "vitest";
import { draw } from "../../testing/render";
import { About } from "./CompanyLink";

test.each([
  ["NLD", "Netherlands"],
  ["de", "Germany"],
  ["United Kingdom", "United Kingdom"],
  ["XXX", "XXX"],
])("the country %j is shown as %s", (country, shown) => {
  const { container } = draw(<About title="CTO" company="Acme" country={country} />);
  expect(container).toHaveTextContent(`CTO · Acme · ${shown}`);
});

test("missing fields leave no separators, and a company leads to its page unless this is it", () => {
  const { container } = draw(<About title="" company="A & B" country="" />);
  expect(container.textContent).not.toContain("·");
  expect(container.querySelector("a")).toHaveAttribute("href", "/dashboard/main/companysearch/A%20%26%20B");
  expect(draw(<About company="Acme" />, { at: "/dashboard/main/companysearch/Acme" }).container.querySelector("a")).toBeNull();
});
