/** German texts of two-step sign-in. */
import type { twostep as english } from "../en/twostep";
import type { Translation } from "../shape";

export const twostep: Translation<typeof english> = {
  secondstep: {
    code: "Code",
    title: "Geben Sie Ihren Code ein",
    lead: "Ihre Authenticator-App zeigt für dieses Konto einen Code aus sechs Ziffern.",
    missing: "Bitte geben Sie den Code ein",
    submit: "Weiter",
    recoveryCode: "Wiederherstellungscode",
    recoveryLead: "Geben Sie einen der Codes ein, die Sie beim Einrichten aufbewahrt haben.",
    useRecovery: "Wiederherstellungscode verwenden",
    useApp: "Authenticator-App verwenden",
  },
  twostep: {
    lead: "Nach dem Passwort fragt die Anmeldung nach einem Code aus einer App auf Ihrem Telefon.",
    offTitle: "Die Anmeldung in zwei Schritten ist ausgeschaltet",
    offText: "Sie brauchen eine Authenticator-App, zum Beispiel die in Ihrem Passwortmanager. Mit dem Einschalten enden Ihre anderen Sitzungen.",
    provider: "Sie melden sich mit Google oder LinkedIn an, wo Ihr Konto durch einen eigenen zweiten Schritt geschützt ist. Die Anmeldung in zwei Schritten schützt hier die Anmeldung mit Passwort, und Sie haben keines.",
    toPassword: "Passwort festlegen",
    setUp: "Einrichten",
    scanTitle: "1. Scannen Sie diesen Code mit Ihrer Authenticator-App",
    scanText: "Oder geben Sie in der App diesen Schlüssel ein:",
    scanLabel: "QR-Code mit dem Schlüssel für Ihre Authenticator-App",
    copyKey: "Schlüssel kopieren",
    enterTitle: "2. Geben Sie den Code ein, den die App anzeigt",
    turnOn: "Einschalten",
    onTitle: "Die Anmeldung in zwei Schritten ist eingeschaltet",
    onText: "Die Anmeldung mit Ihrem Passwort verlangt auch einen Code aus Ihrer Authenticator-App.",
    codes: "Neue Wiederherstellungscodes",
    codesText: "Ihre früheren Wiederherstellungscodes gelten dann nicht mehr.",
    codesSubmit: "Neue Codes erzeugen",
    turnOff: "Ausschalten",
    turnOffText: "Für die Anmeldung genügt dann Ihr Passwort.",
    savedTitle: "Bewahren Sie Ihre Wiederherstellungscodes auf",
    savedText: "Jeder ersetzt einmal einen Code aus der App, zum Beispiel wenn Ihr Telefon verloren geht. Sie werden nur jetzt angezeigt.",
    copyAll: "Kopieren",
    download: "Herunterladen",
    file: "wiederherstellungscodes.txt",
    saved: "Ich habe sie aufbewahrt",
  },
};
