/** A QR code, dark on light even in dark mode, which cameras need. Import it lazily, because it is rarely opened. */
import { encode } from "uqr";

export function QrCode({ value, label }: { value: string; label: string }) {
  const { data, size } = encode(value, { border: 2 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width={168} height={168} role="img" aria-label={label}>
      <rect width={size} height={size} fill="var(--on-sidebar)" />
      <path d={path} fill="var(--sidebar)" />
    </svg>
  );
}
