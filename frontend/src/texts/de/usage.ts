/** German texts of usage reports. */
import type { usage as english } from "../en/usage";
import type { Translation } from "../shape";

export const usage: Translation<typeof english> = {
  usage: {
    title: "Nutzung",
    tabs: "Berichte",
    platform: "Plattform",
    api: "API",
    month: "Monat",
    previous: "Vorheriger Monat",
    next: "Nächster Monat",
    search: "Nutzung durchsuchen",
    searchMember: "Nach Namen suchen",
    searchKey: "Nach Schlüssel suchen",
    member: "Mitglied",
    total: "Aufgedeckt gesamt",
    totalOf: "{{count}} von {{name}} aufgedeckt",
    personal: "Persönliche E-Mails",
    business: "Geschäftliche E-Mails",
    dials: "Durchwahlen",
    method: "Methode",
    key: "API-Schlüssel",
    calls: "Aufrufe",
    purpose: "Zweck",
    noKeys: "Hier stehen Aufrufe und was sie aufgedeckt haben, eine Zeile je API-Schlüssel.",
    noApi: "API-Schlüssel gehören zu den Business-Tarifen. Hier stehen dann ihre Aufrufe.",
    toKeys: "API-Schlüssel",
    overage: "Mehrverbrauch",
    deletedKey: "Gelöscht",
    revealedTitle: "Von {{name}} aufgedeckte Kontakte",
    withColleague: "Ein Kontakt, den auch ein Kollege aufgedeckt hat",
    lead: "Was Ihr Team und Ihre API-Schlüssel in einem Monat aufgedeckt haben.",
    csv: "CSV herunterladen",
    byMember: "Aufgedeckt nach Mitglied",
    byKey: "Aufgedeckt nach API-Schlüssel",
  },
};
