/** The API's descriptions of tables, and its responses. */

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type Row = Record<string, Json>;

export interface TableLine {
  name: string;
  label: string;
  plural: string;
  description: string | null;
  is_view: boolean;
  access: string[];
  rows: number | null;
}

export interface Field {
  name: string;
  label: string;
  description: string | null;
  type: string;
  db_type: string;
  length: number | null;
  scale: number | null;
  required: boolean;
  allow_null: boolean;
  auto_increment: boolean;
  is_primary_key: boolean;
  ref_table: string | null;
  ref_field: string | null;
  picklist: string[] | null;
  has_default: boolean;
  create: boolean;
  update: boolean;
  sealed: boolean;
}

export interface Relation {
  name: string;
  label: string;
  type: "belongs_to" | "has_many" | "has_one" | "many_many";
  field: string;
  ref_table: string;
  ref_field: string;
  junction_table: string | null;
  junction_ref_field: string | null;
}

export interface TableInfo {
  name: string;
  label: string;
  plural: string;
  description: string | null;
  is_view: boolean;
  primary_key: string[];
  field: Field[];
  related: Relation[];
  access: string[];
}

export interface ModelTable {
  name: string;
  columns: { name: string; type: string; primary_key?: boolean; references?: string }[];
}

export interface Meta {
  count?: number;
  next?: number;
  next_cursor?: string;
}

export interface Page {
  resource: Row[];
  meta?: Meta;
}

export interface Attempt {
  id: string;
  type: string;
  key: Record<string, Json> | null;
  at: string;
  /** When it was last sent. */
  tried: string | null;
  attempts: number;
  state: "pending" | "delivered" | "failed";
  status: number | null;
  error: string | null;
  milliseconds: number | null;
}

export interface WebhookState {
  name: string;
  table: string;
  on: string[];
  filter: string | null;
  url: string;
  state: "active" | "paused" | "gone" | "stopped";
  pending?: number;
  failed?: number;
  error?: string | null;
  attempts: Attempt[];
}
