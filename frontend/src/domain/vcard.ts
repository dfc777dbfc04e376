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

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll(/\r?\n/g, "\\n").replaceAll(",", String.raw`\,`).replaceAll(";", String.raw`\;`);

export function vcard({ name, title = "", company = "", url, phones, business, personal }: CardOf): string {
  const words = name.trim().split(/\s+/);
  const [last, first] = [words.length > 1 ? words.at(-1)! : "", words.slice(0, Math.max(1, words.length - 1)).join(" ")];
  return [
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
    "",
  ]
    .filter((line, at, all) => line !== "" || at === all.length - 1)
    .join("\r\n");
}
