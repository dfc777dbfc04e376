/** The card of a person: which data exists, what it costs or who paid for it, and the paid values. */

import { locale, t } from "./texts.js";

export const KINDS = [
  { type: "directdial", credit: "contactcredit", hidden: "phone_encrypted" },
  { type: "businessemail", credit: "bus_email_credits", hidden: "business_email_encrypted" },
  { type: "personalemail", credit: "personal_email_credits", hidden: "personal_email_encrypted" },
];

const MAIL = { businessemail: "business", personalemail: "personal" };

/** The values of a kind, masks included. */
export const valuesOf = (card, { type }) =>
  type === "directdial" ? card.phone_numbers : card.emails.filter((email) => email.type === MAIL[type]).map(({ address }) => address);

/** The kinds that can be revealed for a credit each. */
export const payable = (card) => KINDS.filter((kind) => card[kind.hidden] && valuesOf(card, kind).length > 0);

/** `0 credits, Max revealed this on 3 Nov`; with the year unless it is the current one. */
export function memory({ name, revealedon }, now = new Date()) {
  const on = new Date(revealedon);
  const year = on.getFullYear() === now.getFullYear() ? {} : { year: "numeric" };
  const day = on.toLocaleDateString(locale(), { day: "numeric", month: "short", ...year });
  return t("memory", { name: name ?? t("key"), day });
}

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** A phone number in international format; unchanged if its country is unknown. */
function grouped(number) {
  try {
    return globalThis.libphonenumber.parsePhoneNumber(number).formatInternational();
  } catch {
    return number;
  }
}

/** The reasons for which a value can be reported as wrong; `invalid` comes with the right value. */
const REASONS = { directdial: ["outofservice", "invalid"], businessemail: ["invalid"], personalemail: ["invalid"] };

function plain(text, shown, onclick) {
  const button = element("button", { type: "button", className: "plain", textContent: text, onclick });
  button.setAttribute("aria-label", `${text} ${shown}`);
  return button;
}

/** A value that is called or written to by a press, copied by its button, and reported if it is wrong. */
function valueOf(type, value, { onCopy, onReport }) {
  const [scheme, shown] = type === "directdial" ? ["tel", grouped(value)] : ["mailto", value];
  const link = (className, text) => element("a", { href: `${scheme}:${value}`, className, textContent: text });
  const right = element("input", { placeholder: t("right"), ariaLabel: t("right") });
  const reasons = REASONS[type].map((reason) => plain(t(reason), shown, () => onReport(type, value, reason, reason === "invalid" ? right.value : "")));
  const wrong = element("details", {}, element("summary", { textContent: t("report") }), right, ...reasons);
  wrong.firstChild.setAttribute("aria-label", `${t("report")} ${shown}`);
  const call = type === "directdial" ? [link("act", t("call"))] : [];
  return element("span", { className: "paid" }, link("value", shown), element("span", { className: "acts" }, ...call, plain(t("copy"), shown, () => onCopy(value)), wrong));
}

/** One line for each kind. `fresh` are the kinds revealed just now, which light up once; `onReveal` gets a kind, `onCopy` a value, `onReport`
 a kind's type, a value, the reason and for `invalid` the right value. */
export function linesOf(card, fresh, acts) {
  return KINDS.map((kind) => {
    const values = valuesOf(card, kind);
    const label = element("span", { className: "kind", textContent: t(kind.type) });
    if (values.length === 0) return element("li", { className: "line" }, label, element("span", { className: "quiet", textContent: t(`no${kind.type}`) }));
    if (card[kind.hidden]) {
      const button = element("button", { type: "button", className: "second", textContent: t("reveal"), onclick: () => acts.onReveal(kind) });
      button.setAttribute("aria-label", t("revealof", { kind: t(kind.type) }));
      const mask = values.length > 1 ? t("andmore", { value: values[0], count: values.length - 1 }) : values[0];
      return element("li", { className: "line" }, label, element("span", { className: "mask", textContent: mask }), button);
    }
    const paid = card.revealed.find(({ type }) => type === kind.type);
    const line = element("li", { className: "line" }, label, ...values.map((value) => valueOf(kind.type, value, acts)));
    if (paid) line.append(element("span", { className: "memory", textContent: memory(paid) }));
    line.toggleAttribute("data-fresh", fresh.includes(kind.type));
    return line;
  });
}

/** The balances by kind, for the foot of the panel. */
export const balanceOf = (credits) =>
  KINDS.map(({ type, credit }) => element("div", {}, element("dt", { textContent: t(type) }), element("dd", { textContent: credits[credit].toLocaleString(locale()) })));
