/** English texts of the dashboard start page. */
export const home = {
  home: {
    hello: "Good to see you, {{name}}",
    lead: "What is left of your plan, and what your team has found with it.",
    subscription: "Subscription",
    seats: "Seats",
    apicalls: "API Calls",
    remaining: "remaining",
    revealed: "Revealed contacts",
    revealedText: "contacts revealed by you",
    chart: "Reveals per day, {{from}} to {{to}}",
    window: "Period",
    lastDays: "Last {{days}} days",
    counters: "So far",
  },
  counter: {
    contacts: "Contacts",
    phones: "Cell Numbers",
    workemails: "Work Emails",
    personalemails: "Secondary Emails",
    members: "Members",
    apikeys: "API Keys",
  },
} as const;
