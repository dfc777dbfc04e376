/** English legal texts. `{{brand}}` is the name of this server. */
import type { Legal } from "../shape";

export const legal: Legal = {
  privacy: [
    {
      heading: "What we keep about you",
      paragraphs: [
        "To run your account {{brand}} keeps your name, your business email address, your company's profile, a hash of your password, your sessions with the address and the browser they were opened from, and a record of what was done in the account.",
        "Card numbers never reach us. They go from your browser to our payment provider, which tells us whether a payment succeeded.",
      ],
    },
    {
      heading: "What we keep about the people you look up",
      paragraphs: [
        "Business contact details come from public professional sources and from licensed providers. They are kept encrypted and are shown only to the company that has paid for them.",
        "People who do not want to be found can ask to be removed. From then on no search, lookup or export returns them, and copies are erased within 24 hours.",
      ],
      link: { to: "/removal", text: "Remove my data" },
    },
    {
      heading: "Who works for us, and how long data stays",
      paragraphs: ["The trust page lists the companies that process data for us, how long each kind of data is kept, and whom to tell of a vulnerability."],
      link: { to: "/trust", text: "Trust" },
    },
    {
      heading: "What we use it for",
      paragraphs: [
        "To provide the service, to bill it, to prevent its abuse and to answer you. We sell no data about our users and show no advertising.",
      ],
    },
    {
      heading: "Your rights",
      paragraphs: [
        "You can see and correct your data under Settings, and ask us for a copy of it or for its erasure at any time. We answer within 30 days.",
      ],
    },
  ],
  terms: [
    {
      heading: "The service",
      paragraphs: [
        "{{brand}} lets a company look up business contact details for its own, lawful business purposes. It is marked Beta: it grows, and parts of it may change.",
        "An account belongs to a company. Its owner answers for what the members of the team do with their seats.",
      ],
    },
    {
      heading: "Plans and credits",
      paragraphs: [
        "Each reveal of a cell number, a work email or a secondary email costs one credit of its kind. The same detail of the same person is never charged twice to one company.",
        "A plan renews at the end of its period until it is cancelled. A cancellation or a downgrade takes effect after the period that has been paid.",
      ],
    },
    {
      heading: "What is not allowed",
      paragraphs: [
        "Selling the data on, sending unlawful advertising, collecting data by machine other than through our API, and any use that the law of your country or of the person's country forbids.",
      ],
    },
    {
      heading: "Accuracy",
      paragraphs: [
        "About 97 percent of verified and about 70 percent of partially verified addresses accept mail. No contact detail comes with a guarantee. A wrong one can be flagged, which helps everybody.",
      ],
    },
  ],
  chrome: [
    {
      heading: "What the browser extension reads",
      paragraphs: [
        "The extension reads the addresses of the profiles on a search page of the professional network, up to 200 of them, and only when you press its button.",
        "On the page of a profile that you open it on, it reads the address of that page and looks the person up. Its panel follows you to other profiles in the same tab until you close it.",
        "It reads no messages, no passwords and no other pages.",
      ],
    },
    {
      heading: "Where it goes",
      paragraphs: [
        "What it has read is sent to this server only, over an encrypted connection and under your own session. It is not given to anybody else.",
      ],
    },
    {
      heading: "How to stop it",
      paragraphs: ["Remove the extension from your browser. What it kept in the browser goes with it."],
    },
  ],
  trust: [
    {
      heading: "How long data is kept",
      paragraphs: [
        "Contact details that a company has paid for stay until it deletes its account, or the person asks to be removed. Details that nobody has paid for are never shown, and those from a data provider are fetched again after 30 days.",
        "A person who asks to be removed is gone from search at once and from every copy within 24 hours. Only keyed hashes stay, so that no import brings the person back. Requests of California's DROP are carried out every night.",
        "Sessions end after 30 days, or 24 hours without use, and are deleted a week later. Links in mails are deleted a week after they expire, stored answers of repeated requests after 24 hours, and counts of searches after 90 days. The audit log and the credit ledger stay as long as the account.",
      ],
    },
    {
      heading: "How data is protected",
      paragraphs: [
        "Phone numbers and email addresses are encrypted with AES-256-GCM in the database, passwords are hashed with Argon2id, and every connection is encrypted. Each company sees its own rows only; the server checks that for every request.",
      ],
    },
  ],
};
