/** The last defined value, for a dialog that is fading out. */
import { useState } from "react";

export function useLast<Value>(value: Value | null): Value | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}
