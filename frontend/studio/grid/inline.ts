import type { Field } from "../api/types";
import { isJson, isPostgis } from "../lib/format";

/** Whether a value is edited in its cell. Structured values need more room and are edited in the record. */
export const isInline = (field: Field): boolean => field.update && !field.is_primary_key && !isJson(field) && !isPostgis(field);
