/** The local time at a phone number, for countries with one time zone. Pure. */
import { dateFormat } from "../lib/locale";

// Countries with several zones are left out: the country alone does not tell the time there.
const ZONES: Record<string, string> = Object.fromEntries(
  `AE Asia/Dubai;AT Europe/Vienna;BE Europe/Brussels;BG Europe/Sofia;CH Europe/Zurich;CZ Europe/Prague;DE Europe/Berlin;DK Europe/Copenhagen;EE Europe/Tallinn;EG Africa/Cairo;FI Europe/Helsinki;FR Europe/Paris;GB Europe/London;GR Europe/Athens;HK Asia/Hong_Kong;HR Europe/Zagreb;HU Europe/Budapest;IE Europe/Dublin;IL Asia/Jerusalem;IN Asia/Kolkata;IT Europe/Rome;JP Asia/Tokyo;KE Africa/Nairobi;KR Asia/Seoul;LT Europe/Vilnius;LU Europe/Luxembourg;LV Europe/Riga;MA Africa/Casablanca;NG Africa/Lagos;NL Europe/Amsterdam;NO Europe/Oslo;PE America/Lima;PH Asia/Manila;PK Asia/Karachi;PL Europe/Warsaw;RO Europe/Bucharest;RS Europe/Belgrade;SA Asia/Riyadh;SE Europe/Stockholm;SG Asia/Singapore;SI Europe/Ljubljana;SK Europe/Bratislava;TH Asia/Bangkok;TR Europe/Istanbul;TW Asia/Taipei;VN Asia/Ho_Chi_Minh;ZA Africa/Johannesburg`
    .split(";")
    .map((pair) => pair.split(" ") as [string, string]),
);

/** `{ time: "14:05", city: "Berlin" }`; null for a country with several time zones. */
export function localTime(country: string, now = new Date()): { time: string; city: string } | null {
  const timeZone = ZONES[country];
  if (!timeZone) return null;
  const time = dateFormat({ hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone }).format(now);
  return { time, city: timeZone.slice(timeZone.indexOf("/") + 1).replaceAll("_", " ") };
}
