/** English texts of the consent to an application that acts for the user. */
export const agents = {
  authorize: {
    title: "Connect {{name}}",
    lead: "{{name}} wants to use your account {{email}}.",
    from: "Published by",
    unverified: "Unknown publisher. The application chose this name itself.",
    answered: "Returns to",
    may: "It may",
    rights: "It can never do more than you can. You can disconnect it under Settings > Sessions.",
    allow: "Allow",
    cancel: "Cancel",
    wrongTitle: "{{name}} cannot be connected",
    wrong: "The application sent an invalid request. Nothing was allowed.",
    return: "Return to the application",
    scope: {
      read: "read your contacts, members and usage, and search without cost",
      write: "create and change records",
      delete: "delete records",
      reveal: "reveal contact data, which spends your credits",
      grant: "make API keys, webhooks and invitations, and change roles and your plan: these can spend your credits, and others can use them",
      grantOf: "make and change {{table}}, which give access to your account",
      readOf: "read {{table}}",
      writeOf: "create and change {{table}}",
      deleteOf: "delete {{table}}",
    },
  },
} as const;
