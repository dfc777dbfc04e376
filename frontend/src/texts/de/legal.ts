/** German legal texts. `{{brand}}` is the name of this server. */
import type { Legal } from "../shape";

export const legal: Legal = {
  privacy: [
    {
      heading: "Was wir über Sie speichern",
      paragraphs: [
        "Um Ihr Konto zu führen, speichert {{brand}} Ihren Namen, Ihre geschäftliche E-Mail-Adresse, das Profil Ihres Unternehmens, einen Hash Ihres Passworts, Ihre Sitzungen mit der Adresse und dem Browser, von dem aus sie geöffnet wurden, und ein Protokoll der Vorgänge im Konto.",
        "Kartennummern erreichen uns nicht. Sie gehen von Ihrem Browser an unseren Zahlungsdienstleister, der uns mitteilt, ob eine Zahlung erfolgreich war.",
      ],
    },
    {
      heading: "Was wir über abgefragte Personen speichern",
      paragraphs: [
        "Geschäftliche Kontaktdaten stammen aus öffentlichen beruflichen Quellen und von lizenzierten Anbietern. Sie werden verschlüsselt gespeichert und nur dem Unternehmen gezeigt, das für sie bezahlt hat.",
        "Personen, die nicht gefunden werden möchten, können ihre Entfernung verlangen. Danach liefert keine Suche, keine Abfrage und kein Export ihre Daten, und Kopien werden innerhalb von 24 Stunden gelöscht.",
      ],
      link: { to: "/removal", text: "Meine Daten entfernen" },
    },
    {
      heading: "Wer für uns arbeitet, und wie lange Daten bleiben",
      paragraphs: ["Die Seite „Vertrauen“ nennt die Unternehmen, die für uns Daten verarbeiten, die Dauer der Aufbewahrung und den Kontakt für Sicherheitslücken."],
      link: { to: "/trust", text: "Vertrauen" },
    },
    {
      heading: "Wofür wir die Daten verwenden",
      paragraphs: [
        "Um den Dienst zu erbringen und abzurechnen, Missbrauch zu verhindern und Ihre Anfragen zu beantworten. Wir verkaufen keine Daten über unsere Nutzer und zeigen keine Werbung.",
      ],
    },
    {
      heading: "Ihre Rechte",
      paragraphs: [
        "Sie können Ihre Daten unter Einstellungen einsehen und berichtigen und jederzeit eine Kopie oder ihre Löschung verlangen. Wir antworten innerhalb von 30 Tagen.",
      ],
    },
  ],
  terms: [
    {
      heading: "Der Dienst",
      paragraphs: [
        "Mit {{brand}} fragen Unternehmen geschäftliche Kontaktdaten für ihre eigenen, rechtmäßigen Geschäftszwecke ab. Der Dienst ist als Beta gekennzeichnet: Er wird erweitert, und Teile können sich ändern.",
        "Ein Konto gehört einem Unternehmen. Sein Inhaber ist dafür verantwortlich, was die Mitglieder des Teams mit ihren Plätzen tun.",
      ],
    },
    {
      heading: "Tarife und Credits",
      paragraphs: [
        "Jede aufgedeckte Mobilnummer, geschäftliche E-Mail-Adresse oder zweite E-Mail-Adresse kostet einen Credit ihrer Art. Dieselbe Angabe derselben Person wird einem Unternehmen nie zweimal berechnet.",
        "Ein Tarif verlängert sich am Ende seines Zeitraums, bis er gekündigt wird. Eine Kündigung oder ein Downgrade gilt nach dem bezahlten Zeitraum.",
      ],
    },
    {
      heading: "Was nicht erlaubt ist",
      paragraphs: [
        "Der Weiterverkauf der Daten, rechtswidrige Werbung, das automatisierte Sammeln von Daten außer über unsere API und jede Verwendung, die das Recht Ihres Landes oder des Landes der Person verbietet.",
      ],
    },
    {
      heading: "Genauigkeit",
      paragraphs: [
        "Etwa 97 Prozent der bestätigten und etwa 70 Prozent der teilweise bestätigten Adressen nehmen E-Mails an. Für keine Kontaktangabe wird eine Gewähr übernommen. Falsche Angaben können gemeldet werden; das hilft allen.",
      ],
    },
  ],
  trust: [
    {
      heading: "Wie lange Daten bleiben",
      paragraphs: [
        "Kontaktdaten, für die ein Unternehmen bezahlt hat, bleiben, bis es sein Konto löscht oder die Person ihre Entfernung verlangt. Daten, für die niemand bezahlt hat, werden nie angezeigt; solche von einem Datenanbieter werden nach 30 Tagen neu abgefragt.",
        "Wer seine Entfernung verlangt, ist sofort aus der Suche verschwunden und innerhalb von 24 Stunden aus jeder Kopie. Es bleiben nur Hashes mit Schlüssel, damit kein Import die Person zurückbringt. Anträge aus Kaliforniens DROP werden jede Nacht ausgeführt.",
        "Sitzungen enden nach 30 Tagen oder nach 24 Stunden ohne Nutzung und werden eine Woche später gelöscht. Links aus E-Mails werden eine Woche nach ihrem Ablauf gelöscht, gespeicherte Antworten wiederholter Anfragen nach 24 Stunden, Zähler der Suche nach 90 Tagen. Das Protokoll und das Credit-Konto bleiben so lange wie das Konto.",
      ],
    },
    {
      heading: "Wie Daten geschützt sind",
      paragraphs: [
        "Telefonnummern und E-Mail-Adressen sind in der Datenbank mit AES-256-GCM verschlüsselt, Passwörter mit Argon2id gehasht, und jede Verbindung ist verschlüsselt. Jedes Unternehmen sieht nur seine eigenen Daten; das prüft der Server bei jeder Anfrage.",
      ],
    },
  ],
  chrome: [
    {
      heading: "Was die Browser-Erweiterung liest",
      paragraphs: [
        "Die Erweiterung liest die Adressen der Profile auf einer Suchseite des beruflichen Netzwerks, höchstens 200, und nur, wenn Sie ihre Schaltfläche betätigen.",
        "Auf der Seite eines Profils, auf der Sie sie öffnen, liest sie die Adresse dieser Seite und schlägt die Person nach. Ihr Fenster folgt Ihnen im selben Tab zu anderen Profilen, bis Sie es schließen.",
        "Sie liest keine Nachrichten, keine Passwörter und keine anderen Seiten.",
      ],
    },
    {
      heading: "Wohin die Daten gehen",
      paragraphs: [
        "Gelesene Daten werden nur an diesen Server gesendet, über eine verschlüsselte Verbindung und unter Ihrer eigenen Sitzung. Sie werden an niemanden sonst weitergegeben.",
      ],
    },
    {
      heading: "So beenden Sie es",
      paragraphs: ["Entfernen Sie die Erweiterung aus Ihrem Browser. Damit ist auch gelöscht, was sie im Browser gespeichert hat."],
    },
  ],
};
