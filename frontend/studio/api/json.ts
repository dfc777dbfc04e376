/** Read JSON without losing digits: a number that JavaScript cannot hold exactly becomes its text. */

interface Source {
  source?: string;
}

const parse = JSON.parse as (text: string, reviver: (key: string, value: unknown, context?: Source) => unknown) => unknown;

function exact(_key: string, value: unknown, context?: Source): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || source.length < 16) return value;
  return String(value) === source ? value : source;
}

export function readJson(text: string): unknown {
  return parse(text, exact);
}
