/** Addresses that are no screens. */

/** The packed browser extension, built beside the app. */
export const EXTENSION_URL = "/extension.zip";
