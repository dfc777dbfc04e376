/** German texts of the consent to an application that acts for the user. */
import type { agents as english } from "../en/agents";
import type { Translation } from "../shape";

export const agents: Translation<typeof english> = {
  authorize: {
    title: "{{name}} verbinden",
    lead: "{{name}} möchte Ihr Konto {{email}} verwenden.",
    from: "Veröffentlicht von",
    unverified: "Unbekannter Herausgeber. Die Anwendung hat diesen Namen selbst gewählt.",
    answered: "Kehrt zurück zu",
    may: "Sie darf",
    rights: "Sie darf nie mehr als Sie selbst, und Sie können sie unter Einstellungen > Sitzungen beenden.",
    allow: "Erlauben",
    cancel: "Abbrechen",
    wrongTitle: "{{name}} kann nicht verbunden werden",
    wrong: "Die Anwendung hat eine ungültige Anfrage gesendet. Es wurde nichts erlaubt.",
    return: "Zurück zur Anwendung",
    scope: {
      read: "Ihre Kontakte, Mitglieder und Nutzung lesen und kostenlos suchen",
      write: "Datensätze anlegen und ändern",
      delete: "Datensätze löschen",
      reveal: "Kontaktdaten aufdecken, was Ihre Credits verbraucht",
      grant: "API-Schlüssel, Webhooks und Einladungen anlegen sowie Rollen und Ihren Plan ändern: Damit können auch andere Ihre Credits verbrauchen",
      grantOf: "{{table}} anlegen und ändern, die Zugang zu Ihrem Konto geben",
      readOf: "{{table}} lesen",
      writeOf: "{{table}} anlegen und ändern",
      deleteOf: "{{table}} löschen",
    },
  },
};
