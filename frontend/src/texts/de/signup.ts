/** German texts of sign-up, company profile, verification and invitation. */
import type { signup as english } from "../en/signup";
import type { Translation } from "../shape";

export const signup: Translation<typeof english> = {
  register: {
    title: "Registrieren",
    lead: "Legen Sie das Konto Ihres Unternehmens an. Es beginnt mit dem kostenlosen Tarif.",
    hasAccount: "Sie haben schon ein Konto?",
    submit: "Registrieren",
    agree: "Ich akzeptiere die",
    terms: "Allgemeinen Geschäftsbedingungen",
    acceptTerms: "Bitte akzeptieren Sie die Allgemeinen Geschäftsbedingungen",
    businessOnly: "Bitte registrieren Sie sich mit Ihrer geschäftlichen E-Mail-Adresse",
    emailTaken: "Diese E-Mail-Adresse ist bereits registriert. Bitte verwenden Sie eine andere.",
  },
  tellus: {
    title: "Noch ein paar Angaben …",
    lead: "Damit richten wir Ihr Konto ein. Sie können alles später ändern.",
    skip: "Überspringen",
  },
  company: {
    company: "Unternehmen",
    phone: "Telefon",
    phoneCountry: "Ländervorwahl",
    country: "Land",
    countryPlaceholder: "Land auswählen",
    salespeople: "Mitarbeiter im Vertrieb",
    leads: "Benötigte Leads pro Monat",
    department: "Abteilung",
    taxid: "Steuernummer",
    billingaddress: "Rechnungsanschrift",
    companyMissing: "Bitte geben Sie den Namen Ihres Unternehmens ein",
    phoneMissing: "Bitte geben Sie Ihre Telefonnummer ein",
    phoneInvalid: "Bitte geben Sie eine gültige Telefonnummer ein",
    countryMissing: "Bitte wählen Sie Ihr Land aus",
    salespeopleMissing: "Bitte geben Sie die Zahl der Mitarbeiter im Vertrieb ein",
  },
  verify: {
    title: "Bestätigen Sie Ihre E-Mail-Adresse",
    lead: "Wir haben einen Link an {{email}} geschickt.",
    note: "Öffnen Sie den Link in dieser E-Mail und kehren Sie dann hierher zurück. Diese Seite wird automatisch fortgesetzt.",
    resend: "E-Mail erneut senden",
    resent: "Die Bestätigungs-E-Mail wurde erneut gesendet.",
  },
  verification: {
    verifying: "Wird bestätigt",
    expired: "Dieser Link ist abgelaufen",
    expiredText: "Ein Link kann einmal und innerhalb von 24 Stunden verwendet werden. Melden Sie sich an, um einen neuen zu erhalten.",
    goToLogin: "Zur Anmeldung",
    done: "Ihre E-Mail-Adresse ist bestätigt.",
  },
  invite: {
    title: "Einladung",
    hello: "Willkommen, {{name}}",
    lead: "Sie sind als {{email}} eingeladen, mit {{brand}} zu arbeiten.",
    accept: "Einladung annehmen",
    accepted: "Einladung angenommen. Bitte melden Sie sich mit dem Passwort aus der E-Mail an.",
    already: "Ihr Zugang ist bereits aktiv. Bitte melden Sie sich an.",
    notFound: "Benutzer nicht gefunden",
    notFoundText: "Diese Einladung gibt es nicht mehr. Bitten Sie den Inhaber des Kontos um eine neue.",
  },
};
