import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Meter } from "./Meter";

test.each([
  [700, 700, "100%", null],
  [350, 700, "50%", null],
  [70, 700, "10%", "near"],
  [0, 700, "0%", "over"],
  [0, 0, "0%", "over"],
  [900, 700, "100%", null], // credits bought in addition to those of the plan
])("%i of %i left fill the meter to %s", (left, total, width, tone) => {
  render(<Meter left={left} total={total} label="Cell Number" />);
  const meter = screen.getByRole("meter", { name: "Cell Number" });
  expect(meter.firstElementChild).toHaveStyle({ inlineSize: width });
  expect(meter.getAttribute("data-tone")).toBe(tone);
});
