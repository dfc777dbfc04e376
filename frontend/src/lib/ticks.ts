/** The labels of a vertical axis: 0 and three round steps that reach the largest value. Pure. */

const STEPS = [1, 2, 2.5, 5, 10];
const LINES = 3;

export function ticksOf(largest: number): number[] {
  if (!(largest > 0)) return [0];
  const rough = largest / LINES;
  const size = 10 ** Math.floor(Math.log10(rough));
  const nice = STEPS.map((step) => step * size).find((step) => step >= rough) ?? 10 * size;
  const step = Math.max(1, Math.ceil(nice));
  return Array.from({ length: LINES + 1 }, (_, index) => index * step);
}
