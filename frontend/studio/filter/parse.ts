/** Read the text of a filter into the tree of the builder.

 Returns null for filters that the builder cannot show, such as NOR, a cast or a named value; they remain text. */
import { type Group, type Join, type Node, type Op, arity } from "./tree";

const WORD_OPS: readonly [RegExp, Op][] = [
  [/^NOT\s+IN(?=[\s(])/i, "NOT IN"],
  [/^IN(?=[\s(])/i, "IN"],
  [/^NOT\s+CONTAINS(?=[\s('])/i, "NOT CONTAINS"],
  [/^CONTAINS(?=[\s('])/i, "CONTAINS"],
  [/^STARTS\s+WITH(?=[\s'])/i, "STARTS WITH"],
  [/^ENDS\s+WITH(?=[\s'])/i, "ENDS WITH"],
  [/^ILIKE(?=[\s'])/i, "ILIKE"],
  [/^LIKE(?=[\s'])/i, "LIKE"],
  [/^BETWEEN(?=[\s'])/i, "BETWEEN"],
  [/^IS\s+NOT\s+NULL\b/i, "IS NOT NULL"],
  [/^IS\s+NULL\b/i, "IS NULL"],
  [/^IS\s+TRUE\b/i, "IS TRUE"],
  [/^IS\s+FALSE\b/i, "IS FALSE"],
  [/^MATCHES(?=[\s'])/i, "MATCHES"],
  [/^OVERLAPS(?=[\s(])/i, "OVERLAPS"],
  [/^!=/, "!="],
  [/^<>/, "!="],
  [/^>=/, ">="],
  [/^<=/, "<="],
  [/^=/, "="],
  [/^>/, ">"],
  [/^</, "<"],
];
const NAME = /^(?:[A-Za-z][\w$]*|"(?:[^"]|"")+")(?:\.(?:[A-Za-z][\w$]*|\d+|"(?:[^"]|"")+"))*/;
const PART = /[A-Za-z][\w$]*|\d+|"(?:[^"]|"")+"/g;
const AND = /^(?:AND\b|&&)/i;
const OR = /^(?:OR\b|\|\|)/i;
const UNSUPPORTED = /^(?:NOR|XOR)\b/i;

class Unshown extends Error {}

export function parseFilter(text: string): Group | null {
  if (!text.trim()) return { kind: "group", join: "AND", items: [] };
  try {
    const reader = new Reader(text);
    const node = reader.or();
    reader.end();
    return node.kind === "group" ? node : { kind: "group", join: "AND", items: [node] };
  } catch (error) {
    if (error instanceof Unshown) return null;
    throw error;
  }
}

class Reader {
  private rest: string;

  constructor(text: string) {
    this.rest = text.trimStart();
  }

  end(): void {
    if (this.rest) throw new Unshown();
  }

  or(): Node {
    return this.joined("OR", OR, () => this.joined("AND", AND, () => this.primary()));
  }

  private joined(join: Join, operator: RegExp, next: () => Node): Node {
    const items = [next()];
    while (this.take(operator)) items.push(next());
    if (UNSUPPORTED.test(this.rest)) throw new Unshown();
    const [only] = items;
    return items.length === 1 && only ? only : { kind: "group", join, items };
  }

  private primary(): Node {
    if (!this.take(/^\(/)) return this.condition();
    const node = this.or();
    if (!this.take(/^\)/)) throw new Unshown();
    return node;
  }

  private condition(): Node {
    const name = this.take(NAME);
    if (!name || /^NOT$/i.test(name)) throw new Unshown();
    const field = (name.match(PART) ?? []).map((part) => (part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part)).join(".");
    const op = this.operator();
    const count = arity(op);
    if (count === 0) return { kind: "condition", field, op, values: [] };
    if (count === -1) return { kind: "condition", field, op, values: this.list() };
    const values = [this.value()];
    if (count === 2) {
      if (!this.take(AND)) throw new Unshown();
      values.push(this.value());
    } else if (op === "=" || op === "!=") {
      if (values[0]?.bare && /^null$/i.test(values[0].text)) return { kind: "condition", field, op: op === "=" ? "IS NULL" : "IS NOT NULL", values: [] };
    }
    return { kind: "condition", field, op, values: values.map(({ text }) => text) };
  }

  private operator(): Op {
    const known = WORD_OPS.find(([pattern]) => pattern.test(this.rest));
    if (!known) throw new Unshown();
    this.take(known[0]);
    return known[1];
  }

  private list(): string[] {
    if (!this.take(/^\(/)) throw new Unshown();
    const values: string[] = [];
    while (!this.take(/^\)/)) {
      if (values.length > 0 && !this.take(/^,/)) throw new Unshown();
      values.push(this.value(/^[^,)]+/).text);
    }
    return values;
  }

  /** A quoted value, or a bare word, which ends before a closing parenthesis or a logical operator. */
  private value(word = /^(?:(?!\s+(?:AND|OR|NOR|XOR|&&|\|\|)(?:\s|\())[^)(':])+/i): { text: string; bare: boolean } {
    const single = this.take(/^'(?:[^']|'')*'/);
    if (single !== null) return { text: single.slice(1, -1).replaceAll("''", "'"), bare: false };
    const double = this.take(/^"(?:[^"]|"")*"/);
    if (double !== null) return { text: double.slice(1, -1).replaceAll('""', '"'), bare: false };
    const bare = this.take(word);
    if (bare === null || bare.startsWith(":")) throw new Unshown();
    return { text: bare.trim(), bare: true };
  }

  private take(pattern: RegExp): string | null {
    const match = pattern.exec(this.rest);
    if (!match) return null;
    this.rest = this.rest.slice(match[0].length).trimStart();
    return match[0];
  }
}
