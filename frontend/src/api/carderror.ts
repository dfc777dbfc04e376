/** An error of the card form, as Stripe's script gives it. */
import { ApiError } from "./errors";

interface Declined {
  message?: string;
  code?: string;
  decline_code?: string;
}

/** It has the case of the server's errors of the same card. The script words its other messages in the reader's language. */
export class CardError extends ApiError {
  constructor({ message = "", code, decline_code }: Declined = {}) {
    const word = decline_code ?? code;
    super(422, message, 422, { reason: "card_form", scope: "resource", ...(word && { case: word }) });
  }
}
