/** German texts of sign-in, forgotten password and the links to legal pages. */
import type { login as english } from "../en/login";
import type { Translation } from "../shape";

export const login: Translation<typeof english> = {
  login: {
    title: "Anmelden",
    lead: "Willkommen zurück. Melden Sie sich an, um Ihren nächsten Kontakt zu finden.",
    submit: "Anmelden",
    forgot: "Passwort vergessen?",
    noAccount: "Neu hier?",
    signUp: "Registrieren",
    or: "oder",
    google: "Weiter mit Google",
    linkedin: "Weiter mit LinkedIn",
    socialOff: "Auf diesem Server nicht eingerichtet",
    socialFailed: "Anmeldung fehlgeschlagen",
    socialRetry: ". Bitte versuchen Sie es erneut",
    socialLate: "Die Anmeldung hat zu lange gedauert. Bitte versuchen Sie es erneut.",
    termsTitle: "Konto anlegen",
    termsText: "Für {{email}} gibt es noch kein Konto. Es wird angelegt, wenn Sie die Bedingungen akzeptieren.",
    termsSubmit: "Konto anlegen",
    popupBlocked: "Der Browser hat das Anmeldefenster blockiert. Bitte erlauben Sie es und versuchen Sie es erneut.",
    finishing: "Sie werden angemeldet …",
    notFinished: "Die Anmeldung wurde nicht abgeschlossen",
    notFinishedText: "Schließen Sie dieses Fenster und kehren Sie zu dem zurück, in dem Sie begonnen haben, oder melden Sie sich erneut an.",
    pitch: "Wissen, wen man anruft.",
    pitchText: "Profiladresse einfügen, Durchwahl oder bestätigte E-Mail-Adresse aufdecken und in der eigenen Liste behalten.",
  },
  forgot: {
    title: "Passwort vergessen?",
    lead: "Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem Sie ein neues Passwort festlegen.",
    submit: "Link senden",
    sent: "Der Link wurde gesendet. Bitte sehen Sie in Ihrem Postfach nach.",
    sentTo: "Wenn es ein Konto für {{email}} gibt, ist ein Link dorthin unterwegs. Er gilt eine Stunde.",
    back: "Zurück zur Anmeldung",
  },
  reset: {
    title: "Neues Passwort festlegen",
    lead: "Danach enden alle anderen Sitzungen Ihres Kontos.",
    code: "Code",
    submit: "Passwort ändern",
    done: "Passwort geändert",
    expired: "Der Code dieses Links ist abgelaufen. Bitte verwenden Sie den neuesten.",
  },
  legal: {
    privacy: "Datenschutzerklärung",
    terms: "Allgemeine Geschäftsbedingungen",
    chrome: "Datenschutz der Browser-Erweiterung",
    open: "Als eigene Seite öffnen",
    documents: "Rechtliche Texte",
    updated: "Zuletzt geändert am 1. November 2026",
  },
};
