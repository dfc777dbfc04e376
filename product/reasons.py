"""Every reason of an error of the product, in the form of `tableapi/reasons.py`."""

# fmt: off
REASONS: dict[str, dict[str, tuple[int, str, str]]] = {
    "Credentials and rights": {
        "bad_key": (401, "The customer's API key is unknown, switched off or deleted, or its account is not active "
            "(scope `resource`).",
            "Check the key that you send, or create another one."),
        "scope": (403, "The API key does not have the scope that the call needs; `context.needed` names it.",
            "Add it to the key under Settings > API."),
        "bad_credentials": (401, "The e-mail address or the password is wrong; the response does not reveal which.",
            "Check both, or reset the password."),
        "mfa_required": (403, "The password is correct, or the provider has proved the user, who has two-step sign-in "
            "(code 804).",
            "Send `mfatoken` with a code of the authenticator app or a recovery code: [Complete a "
            "sign-in](calls.md#complete-a-sign-in)."),
        "mfa_code_wrong": (401, "The code is wrong or has been used.",
            "Wait for the next code of the authenticator app, or use a recovery code."),
        "mfa_expired": (401, "The second step came more than five minutes after the password, or the sign-in has "
            "already been completed.",
            "Send the password again."),
        "confirmation_required": (403, "The session is valid, but the call also needs a proof of the user.",
            "`context.missing` names what is missing: `password`, `code` of two-step sign-in (also if it is wrong), "
            "`signin` for a sign-in with the provider at most 10 minutes ago. Ask the user, and send the call again: "
            "[Prove that it is you](calls.md#prove-that-it-is-you)."),
        "no_proof": (401, "A social sign-in has no one-use `proof`, or the proof has been used or is older than a "
            "minute.",
            "Restart the sign-in with the provider."),
        "sign_in_refused": (403, "The password is correct, but the account cannot be used (scope `account`).",
            "The specific reasons are [disabled](#disabled), [deleted](#deleted), [unverified](#unverified) and "
            "[not_accepted](#not_accepted). Follow `message`."),
        "disabled": (403, "The owner of the account has disabled this user (code 800 at sign-in).", "Ask the owner."),
        "deleted": (404, "The user was deleted by the owner of the account (code 801 and status 403 at sign-in).",
            "Ask the owner for a new invitation."),
        "unverified": (403, "The e-mail address has not been verified yet (code 802).",
            "Open the mailed link, or request another one with [Mail the verification "
            "link](calls.md#mail-the-verification-link)."),
        "not_accepted": (409, "The owner tried to change a member, but the member has not accepted the invitation yet; "
            "if the member signs in, the response is 403 with the code 803.",
            "The member must open the mailed invitation first."),
        "password_change_required": (403, "The session was started with a mailed temporary password.",
            "Change it with [Change a password](calls.md#change-a-password); until then, only that call and sign-out "
            "are available."),
        "bad_client": (400, "The application that asks to act for a user is unknown, its metadata cannot be read, or "
            "it requested the response at an address that it has not registered.",
            "Nothing is sent to that address. Connect the application again."),
        "too_many_clients": (503, "Too many registered applications are in use, so that no other can register.",
            "Try again the next day, or use an application identified by an address."),
        "desk_only": (403, "A staff account may only read tables and use the desk's calls.",
            "Use a call of [the desk](calls.md#the-desk), or sign in with a client's account."),
        "view_only": (403, "The session is a read-only support view of an account, and the request would change or "
            "export something.",
            "End the view by signing out; make changes at [the desk](calls.md#the-desk), or let the client make them."),
        "email_not_verified": (400, "The provider has not verified the e-mail address.",
            "Verify it there, then sign in again."),
        "bad_state": (400, "A social sign-in was not started in this browser, or took too long.", "Start it again."),
        "bad_ticket": (400, "The one-use ticket of a social sign-in has been used or is older than a minute.",
            "Start again."),
        "not_proved": (400, "The sign-in provider's response does not prove an identity: its signature, audience, "
            "nonce or expiry is wrong.",
            "Start again; if the error recurs, check the client settings."),
    },
    "Requests": {
        "bad_file": (400, "A file of people cannot be imported; the message gives the reason for each line.",
            "Correct the file."),
        "code_mismatch": (422, "The mailed code is wrong, used or expired.",
            "Use the most recent mail, or request another code."),
        "card_number": (400, "The request contains a card number.",
            "Send a token from the payment provider instead; the number was not logged."),
        "bad_signature": (400, "The signature of a payment event is invalid or older than five minutes.",
            "Check `STRIPE_WEBHOOK_SECRET`."),
    },
    "What is stored": {
        "too_many_lists": (409, "The user has reached the maximum number of lists or saved searches.",
            "Delete one first."),
        "list_full": (409, "The list has reached the maximum number of people.", "Remove some, or start another list."),
    },
    "Load and limits": {
        "search_limit": (429, "The plan's daily limit of search pages, or of people shown by any call, has been "
            "reached; `context.pages` and `context.people` are the plan's limits.",
            "Continue after midnight UTC, or upgrade."),
    },
    "Credits, plans and payments": {
        "no_credit": (402, "No credits of the required kind are left; `context` contains the kind and the balances.",
            "Buy credits or a larger plan."),
        "over_ceiling": (402, "The price, `context.price`, is higher than `max_credits`.", "Nothing was charged."),
        "subscription_expired": (402, "The subscription has ended.",
            "Renew it; data that has been paid for remains readable."),
        "payment_required": (402, "The plan has a price and cannot be selected without payment.",
            "Use [subscribe](calls.md#subscribe) or [change the plan](calls.md#change-the-plan)."),
        "plan_without_api": (402, "The plan does not include API access.", "Choose a plan that does."),
        "card_refused": (402, "The card was declined; `message` is the provider's text.", "Use another card."),
        "email_exists": (409, "An account with this address already exists.", "Sign in, or use another address."),
        "no_plan": (409, "The account has no active subscription.", "Subscribe first."),
        "seat_limit": (409, "Every seat of the plan is taken.", "Delete a member, or choose a larger plan."),
        "key_limit": (409, "The plan allows no more API keys.", "Delete one, or choose a larger plan."),
        "webhook_limit": (409, "The account has ten webhooks.", "Delete one first."),
        "not_pending": (409, "The member has already accepted the invitation.", "There is nothing to send."),
        "too_few_credits": (409, "Staff tried to take more credits than the client has; `context.balance` is the "
            "number available.",
            "Nothing was taken. Take fewer."),
        "event_applied": (409, "The payment event has already been applied, so there is nothing to do.",
            "Read the list again."),
        "limit_exceeded": (409, "The lower plan has too few seats or keys; `context.members_over` and "
            "`context.apis_over` are the excess.",
            "Remove these first."),
        "already_subscribed": (409, "The account already has this plan.", "Choose another one."),
        "already_changed": (409, "The plan has just been changed.", "Read the subscription again."),
        "change_instead": (409, "There is a running subscription.",
            "Change it with [Change the plan](calls.md#change-the-plan)."),
        "checkout_open": (409, "Another payment page has just been opened for this account.",
            "Use that page, or try again."),
        "checkout_complete": (409, "A plan has just been paid for and is being set up.", "Wait for the payment event."),
        "no_subscription": (409, "There is no running subscription to change.", "Subscribe first."),
        "no_downgrade_record": (409, "A lower plan takes effect at the end of the period, and must be recorded "
            "beforehand.",
            "Use [Record a downgrade](calls.md#record-a-downgrade) first."),
        "not_a_downgrade": (409, "The plan is not lower than the current one.", "Upgrade instead."),
        "not_renewing": (409, "The plan will not be renewed, so it cannot be downgraded.",
            "Resume it, or wait until it ends."),
        "not_payable": (409, "The plan is not sold here.", "Contact sales."),
        "nothing_to_cancel": (409, "There is no paid subscription to cancel.", "No action is needed."),
        "paid_plan": (409, "A paid plan is active.", "Cancel it before moving to the free plan."),
        "past_due": (409, "An invoice is unpaid.", "Pay it, then change the plan."),
        "no_addons_on_free": (409, "The free plan has no add-ons.", "Subscribe first."),
        "token_used": (409, "The token, or the payment method, has already been used for another add-on.",
            "Enter the card again to create a new token."),
        "processing": (409, "The payment is being processed.", "Its credits will be granted with the payment event."),
    },
    "Vendors": {
        "payments_not_set_up": (503, "The payment settings are missing.",
            "Set `STRIPE_SECRET_KEY` and `STRIPE_WEBHOOK_SECRET`."),
        "payments_unavailable": (503, "The payment provider cannot be reached; nothing was charged.",
            "Repeat after `Retry-After`."),
        "payment_provider_refused": (502, "The payment provider did not accept the request.",
            "Report it with the `request_id`."),
        "provider_failed": (502, "The sign-in provider cannot be reached or sent an invalid response.", "Try again."),
        "vendor_unavailable": (503, "The contact data vendor cannot be reached; nothing was charged.",
            "Repeat after `Retry-After`."),
        "key_off": (409, "The API key was disabled or deleted, or has expired.", "Create a new one."),
        "last_identity": (409, "The user has no password, so without the only linked identity the account could not be "
            "opened.",
            "Set a password first."),
        "old_key_works": (409, "The API key before the last rotation still works until `context.oldkeyuntil`.",
            "Wait for it, or send `replace: true` to end it now."),
        "mapping_needed": (422, "The people in a file cannot be identified from its column names.",
            "`context.columns` lists them; send `mapping`."),
        "drop_unavailable": (503, "California's platform for [deletion requests](../guides/deletion-requests.md) does "
            "not respond or asks the server to wait.",
            "The queue tries again."),
        "drop_refused": (400, "The platform rejected the request; the message contains its response.",
            "Check `DROP_API_KEY`, and the account in the data broker portal."),
        "bad_archive": (400, "An archive from the platform does not conform to its specification.",
            "Nothing was stored; contact the platform's support."),
        "not_set_up": (404, "Sign-in with this provider is not configured.", "Set its client id and secret."),
    },
}
