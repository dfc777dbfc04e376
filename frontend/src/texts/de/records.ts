/** German texts of sessions, audit log and credit ledger. */
import type { records as english } from "../en/records";
import type { Translation } from "../shape";

export const records: Translation<typeof english> = {
  sessions: {
    may: "Darf {{scopes}}",
    lead: "Wo Sie angemeldet sind, und die Anwendungen, die Sie verbunden haben. Eine Sitzung endet von selbst, wenn sie einen Tag lang nicht verwendet wird.",
    device: "Gerät",
    unknown: "Unbekanntes Gerät",
    ip: "IP-Adresse",
    lastused: "Zuletzt verwendet",
    created: "Angemeldet",
    actions: "Aktionen",
    current: "Dieses Gerät",
    end: "Abmelden",
    endOf: "{{device}} abmelden, zuletzt verwendet {{time}}",
    ended: "Sitzung beendet.",
    endOthers: "Überall sonst abmelden",
    othersTitle: "Überall sonst abmelden?",
    othersText: "Alle Sitzungen außer dieser enden sofort.",
    othersEnded: "Alle anderen Sitzungen wurden beendet.",
  },
  audit: {
    lead: "Was in Ihrem Konto geschehen ist, das Neueste zuerst. Einträge können nicht geändert werden.",
    time: "Zeit",
    event: "Ereignis",
    target: "Ziel",
    actor: "Von",
    filters: "Filter",
    showReads: "Lesezugriffe zeigen",
    everybody: "Von allen",
    key: "API-Schlüssel",
    support: "Support",
    former: "Früheres Mitglied",
    system: "System",
  },
  ledger: {
    lead: "Jede Änderung Ihrer Credits, die neueste zuerst.",
    all: "Alle",
    kind: "Credits",
    change: "Änderung",
    balance: "Stand",
    reason: "Grund",
  },
};
