-- A subscription that the payment provider has paused is not live, and may continue.
alter table usersubscription drop constraint usersubscription_status_check;
alter table usersubscription add constraint usersubscription_status_check
    check (status in ('active', 'past_due', 'paused', 'cancelled', 'expired'));
