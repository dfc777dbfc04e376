/** Read and write JSON without losing digits: a number that JavaScript cannot represent is kept as written. */

// PostgreSQL cannot store this character, so no stored text begins with the mark.
const MARK = "\u0000n:";
const WRITTEN_MARK = /"\\u0000n:(-?\d[\d.eE+-]*)"/g;
const MARKED = /^\u0000n:-?\d[\d.eE+-]*$/; // oxlint-disable-line no-control-regex -- the mark
const LONG = /[\d.]{16}/;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const MIN_LONG = 16;

/** A number with more digits than JavaScript can represent. */
export class Exact {
  constructor(readonly source: string) {}

  toString(): string {
    return this.source;
  }

  toJSON(): string {
    return MARK + this.source;
  }
}

function marked(token: string): string {
  const isKept = token.startsWith('"') || token.length < MIN_LONG || String(Number(token)) === token;
  return isKept ? token : `"\\u0000n:${token}"`;
}

function revived(_key: string, value: unknown): unknown {
  return typeof value === "string" && MARKED.test(value) ? new Exact(value.slice(MARK.length)) : value;
}

export function readJson(text: string): unknown {
  const prepared = LONG.test(text) ? text.replace(TOKEN, marked) : text;
  return prepared === text ? JSON.parse(text) : JSON.parse(prepared, revived);
}

export function writeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(WRITTEN_MARK, "$1");
}
