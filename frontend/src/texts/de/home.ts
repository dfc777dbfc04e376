/** German texts of the dashboard start page. */
import type { home as english } from "../en/home";
import type { Translation } from "../shape";

export const home: Translation<typeof english> = {
  home: {
    hello: "Schön, Sie zu sehen, {{name}}",
    lead: "Was von Ihrem Tarif noch übrig ist und was Ihr Team damit gefunden hat.",
    subscription: "Abonnement",
    seats: "Plätze",
    apicalls: "API-Aufrufe",
    remaining: "übrig",
    revealed: "Aufgedeckte Kontakte",
    revealedText: "von Ihnen aufgedeckte Kontakte",
    chart: "Aufgedeckte Kontakte pro Tag, {{from}} bis {{to}}",
    window: "Zeitraum",
    lastDays: "Letzte {{days}} Tage",
    counters: "Bisher",
  },
  counter: {
    contacts: "Kontakte",
    phones: "Mobilnummern",
    workemails: "Geschäftliche E-Mails",
    personalemails: "Zweite E-Mails",
    members: "Mitglieder",
    apikeys: "API-Schlüssel",
  },
};
