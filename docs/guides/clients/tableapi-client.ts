/** A client of the table API in one file, to copy into your program. Needs `fetch`: a browser, or Node 18.

 A table is typed by a record of the generated types, conditions are expressions (`(row) => row.city.eq("Oslo")`), and an
 error of the server is an `ApiError` with its `reason`. */

export class ApiError extends Error {
  /** `reason` is stable, the message is for people, `context` has the details. */
  constructor(readonly status: number, message: string, readonly context: Record<string, unknown>) {
    super(message);
  }

  get reason(): string {
    return String(this.context["reason"] ?? "");
  }

  static async of(response: Response): Promise<ApiError> {
    const { error } = await response.json().catch(() => ({ error: {} }));
    return new ApiError(response.status, error.message ?? `The server answered ${response.status}.`, error.context ?? {});
  }
}

/** A condition with its values, which are sent apart from its text. `text` has a NUL for each value. */
export class Where {
  constructor(readonly text: string, readonly values: readonly unknown[] = []) {}

  and = (other: Where): Where => new Where(`(${this.text}) and (${other.text})`, [...this.values, ...other.values]);
  or = (other: Where): Where => new Where(`(${this.text}) or (${other.text})`, [...this.values, ...other.values]);
  not = (): Where => new Where(`not (${this.text})`, this.values);

  options(): { filter: string; params: Record<string, unknown> } {
    let number = 0;
    const filter = this.text.replaceAll("\0", () => `:v${number++}`);
    return { filter, params: Object.fromEntries(this.values.map((value, index) => [`v${index}`, value])) };
  }
}

/** What a condition can say of a column with values of a type. */
export interface Column<Value> {
  eq(value: Value | null): Where;
  ne(value: Value | null): Where;
  lt(value: Value): Where;
  le(value: Value): Where;
  gt(value: Value): Where;
  ge(value: Value): Where;
  in(values: readonly Value[]): Where;
  contains(text: string): Where;
  startsWith(text: string): Where;
}

type Related<Value> = NonNullable<Value> extends readonly (infer Item)[] ? Columns<Item> : NonNullable<Value> extends object ? Columns<NonNullable<Value>> : unknown;
export type Columns<Row> = { [Name in keyof Row]-?: Column<NonNullable<Row[Name]>> & Related<Row[Name]> };
export type Condition<Row> = (row: Columns<Row>) => Where;

const OPERATORS = { eq: "=", ne: "!=", lt: "<", le: "<=", gt: ">", ge: ">=", in: "in", contains: "contains", startsWith: "starts with" };

function columns<Row>(path = ""): Columns<Row> {
  return new Proxy({}, {
    get(_, name: string) {
      const operator = OPERATORS[name as keyof typeof OPERATORS];
      if (path && operator) return (value: unknown) => value === null ? new Where(`${path} is ${name === "ne" ? "not " : ""}null`) : new Where(`${path} ${operator} \0`, [value]);
      const mark = name.includes('"') ? "`" : '"';
      const quoted = /^[A-Za-z_]\w*$/.test(name) ? name : mark + name + mark;
      return columns(path ? `${path}.${quoted}` : quoted);
    },
  }) as Columns<Row>;
}

export type Options = { fields?: string; related?: string; order?: string; limit?: number; offset?: number; [option: string]: unknown };
export type Event<Row> = { event: "reset" } | { event: "row"; data: Row } | { event: "gone"; data: Partial<Row> };
type Page<Row> = { resource: Row[]; meta?: { next_cursor?: string } };

/** One database of a server, with the credentials of one caller. `Tables` are the generated records, by table. */
export class Api<Tables extends { [Name in keyof Tables]: object }> {
  readonly #base: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, dataset: string, { key, session }: { key?: string | undefined; session?: string | undefined } = {}) {
    this.#base = `${url.replace(/\/$/, "")}/api/v2/${dataset}/`;
    this.#headers = { ...(key && { "X-API-Key": key }), ...(session && { "X-Session-Token": session }) };
  }

  table<Name extends keyof Tables & string>(name: Name): Table<Tables[Name]> {
    return new Table((...sent) => this.fetch(...sent), `_table/${name}`);
  }

  /** Runs requests in one transaction, in order: all or none. `{ $ref: "order.resource.0.id" }` stands for a value of an earlier one. */
  async batch(requests: { id?: string; method?: string; path: string; query?: object; body?: unknown }[]): Promise<unknown[]> {
    const response = await this.fetch("POST", "_batch", { requests });
    return (await response.json()).responses.map(({ body }: { body: unknown }) => body);
  }

  /** Sends a request. Throws ApiError. */
  async fetch(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const sent = { ...this.#headers, ...(body !== undefined && { "Content-Type": "application/json" }), ...headers };
    const response = await fetch(this.#base + path, { method, headers: sent, ...(body !== undefined && { body: JSON.stringify(body) }) });
    if (!response.ok) throw await ApiError.of(response);
    return response;
  }
}

/** The records of a table. Options are those of the API: fields, related, order, limit, offset. */
export class Table<Row extends object> {
  constructor(private readonly send: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>, private readonly path: string) {}

  async read(where?: Condition<Row>, options: Options = {}): Promise<Row[]> {
    return (await this.#page(where, options)).resource;
  }

  /** Every record, page by page, whatever is written meanwhile. */
  async *each(where?: Condition<Row>, options: Options = {}): AsyncGenerator<Row> {
    for (let cursor: string | undefined = ""; cursor !== undefined;) {
      const { resource, meta }: Page<Row> = await this.#page(where, { ...options, cursor });
      yield* resource;
      cursor = meta?.next_cursor;
    }
  }

  async #page(where: Condition<Row> | undefined, options: Options): Promise<Page<Row>> {
    const response = await this.send("QUERY", this.path, { ...options, ...where?.(columns<Row>()).options() });
    return response.json();
  }

  async get(id: string | number, options: Options = {}): Promise<Row> {
    return (await this.send("QUERY", `${this.path}/${encodeURIComponent(id)}`, options)).json();
  }

  /** Creates records, all or none, and returns them. */
  async create(...records: Partial<Row>[]): Promise<Row[]> {
    return (await (await this.send("POST", `${this.path}?fields=*`, { resource: records })).json()).resource;
  }

  /** Changes a record. With `version`, an ETag: throws ApiError (412) if it has changed since. */
  async update(id: string | number, changes: Partial<Row>, version?: string): Promise<Row> {
    const path = `${this.path}/${encodeURIComponent(id)}?fields=*`;
    return (await this.send("PATCH", path, changes, version ? { "If-Match": version } : {})).json();
  }

  async delete(id: string | number): Promise<void> {
    await this.send("DELETE", `${this.path}/${encodeURIComponent(id)}`);
  }

  /** The changes of the table as they happen (docs: Live changes). */
  async *changes(options: Record<string, string> = {}): AsyncGenerator<Event<Row>> {
    const response = await this.send("GET", `${this.path}/_changes?${new URLSearchParams(options)}`);
    let text = "";
    for await (const part of response.body!.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
      const blocks = (text + part).split("\n\n");
      text = blocks.pop()!;
      for (const block of blocks) {
        const lines = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s) as [string, string]));
        if (lines["event"]) yield { event: lines["event"], data: JSON.parse(lines["data"] ?? "{}") } as Event<Row>;
      }
    }
  }
}
