/** A contact as a vCard 3.0, which every address book reads. Pure. */

export interface CardOf {
  name: string;
  title?: string;
  company?: string;
  url: string;
  phones: readonly string[];
  business: readonly string[];
  personal: readonly string[];
}

/** A line ends at CR, LF or CRLF for some readers, so that none of them may stay in a value. */
const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll(/\r\n|[\r\n\u0085\u2028\u2029]/g, "\\n").replaceAll(",", String.raw`\,`).replaceAll(";", String.raw`\;`);

export function vcard({ name, title = "", company = "", url, phones, business, personal }: CardOf): string {
  const words = name.trim().split(/\s+/);
  const [last, first] = [words.length > 1 ? words.at(-1)! : "", words.slice(0, Math.max(1, words.length - 1)).join(" ")];
  const lines = [
    "BEGIN:VCARD",
    "VERSION:3.0",
    `N:${escaped(last)};${escaped(first)};;;`,
    `FN:${escaped(name)}`,
    title && `TITLE:${escaped(title)}`,
    company && `ORG:${escaped(company)}`,
    ...phones.map((phone) => `TEL;TYPE=CELL:${escaped(phone)}`),
    ...business.map((address) => `EMAIL;TYPE=WORK:${escaped(address)}`),
    ...personal.map((address) => `EMAIL;TYPE=HOME:${escaped(address)}`),
    `URL:${escaped(url)}`,
    "END:VCARD",
  ];
  return lines
    .filter((line) => line !== "")
    .map((line) => `${folded(line)}\r\n`)
    .join("");
}

const MAX_OCTETS = 75;

/** Breaks a line after at most 75 octets of UTF-8 (RFC 2426, 2.6), never inside a character; continued lines begin with a space. */
function folded(line: string): string {
  const encoder = new TextEncoder();
  let out = "";
  let octets = 0;
  for (const character of line) {
    const size = encoder.encode(character).length;
    if (octets + size > MAX_OCTETS) {
      out += "\r\n ";
      octets = 1;
    }
    out += character;
    octets += size;
  }
  return out;
}
