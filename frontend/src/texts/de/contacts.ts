/** German texts of My Contacts. */
import type { contacts as english } from "../en/contacts";
import type { Translation } from "../shape";

export const contacts: Translation<typeof english> = {
  contacts: {
    title: "Meine Kontakte",
    count_one: "{{count}} Kontakt",
    count_other: "{{count}} Kontakte",
    tooFar: "Die Liste ist zu lang, um bis zu dieser Seite zu blättern. Suchen Sie hier nach dem Namen.",
    searchLabel: "Kontakte durchsuchen",
    searchPlaceholder: "Nach Namen suchen",
    export: "Excel exportieren",
    exportMost: "Eine Datei enthält höchstens {{count}} Kontakte. Bitte wählen Sie weniger aus.",
    exportLimit_one: "Sie haben die 20 Exporte dieses Tages verbraucht. Versuchen Sie es in {{count}} Stunde erneut.",
    exportLimit_other: "Sie haben die 20 Exporte dieses Tages verbraucht. Versuchen Sie es in {{count}} Stunden erneut.",
    selectToExport: "Bitte wählen Sie Kontakte für den Export aus",
    selectAll: "Alle auswählen",
    select: "{{name}} auswählen",
    name: "Name",
    phone: "Telefon",
    business: "Geschäftliche E-Mails",
    personal: "Persönliche E-Mails",
    feedback: "Bewertung",
    deleted: "Entfernt",
    perPage: "{{size}} pro Seite",
    perPageWord: "pro Seite",
    pageSize: "Zeilen pro Seite",
    pages: "Seiten",
    first: "Erste Seite",
    previous: "Vorherige Seite",
    next: "Nächste Seite",
    last: "Letzte Seite",
    findOne: "Kontakt suchen",
  },
};
