/** German texts of the plans that the product ships. */
import type { offers as english } from "../en/offers";
import type { Translation } from "../shape";

export const offers: Translation<typeof english> = {
  offers: {
    trial: "Zum Ausprobieren, mit einer Handvoll Credits.",
    starter: "Bis zu 5 Benutzer, 500 Kontakt-Credits und 100 Credits.",
    pro: "Für ein wachsendes Vertriebsteam.",
    business: "Alles, mit API-Zugang.",
    yearly: "Alles aus dem Monatstarif; zwei Monate kostenlos.",
    byMonth: "Nach Maß, monatlich abgerechnet.",
    byYear: "Nach Maß, jährlich abgerechnet.",
    addonName: "{{number}} Mobilnummern",
    addon: "Sie bleiben, bis Sie sie verbrauchen.",
    phone: "Mobilnummern",
    phoneHint: "Jede aufgedeckte Mobilnummer kostet einen Credit.",
    workEmail: "Geschäftliche E-Mails",
    workEmailHint: "Jede aufgedeckte geschäftliche E-Mail kostet einen Credit.",
    personal: "Zweite E-Mails",
    personalHint: "Jede aufgedeckte zweite E-Mail kostet einen Credit.",
    members: "Mitglieder im Team",
    membersHint: "Plätze, zu denen Sie einladen können.",
    membersUpTo: "Bis zu {{number}}",
    api: "API-Zugang",
    apiHint: "Kontakte aus eigenen Programmen nachschlagen.",
    apiCredits: "Die API verbraucht dieselben Credits.",
    apiKeys: "{{number}} Schlüssel",
    notIncluded: "Nicht enthalten",
    byAgreement: "Nach Vereinbarung",
  },
};
