-- outside a transaction
-- Events for webhooks. Every statement locks one table and may run again.
create or replace trigger reveal_told after insert on reveal for each row
    execute function tell_webhooks('contact.revealed', 'contactid', 'contactid,kind,appuserid,keyid,createdon');
create or replace trigger bulkjob_told after update of status on bulkjob for each row
    when (new.status in ('done', 'cancelled') and old.status <> new.status)
    execute function tell_webhooks('bulk.finished', 'jobid', 'jobid,status,total,charged,createdon,finishedon');
create or replace trigger creditnotice_told after insert on creditnotice for each row
    execute function tell_webhooks('credits.low', 'kind', 'kind,threshold,createdon');
create or replace trigger usersubscription_began after insert on usersubscription for each row
    execute function tell_webhooks('plan.changed', 'subscriptionid',
                                   'subscriptionid,planid,status,isactive,startdate,expirydate,autorenew');
create or replace trigger usersubscription_told after update on usersubscription for each row
    when ((new.planid, new.status, new.isactive, new.expirydate, new.autorenew)
          is distinct from (old.planid, old.status, old.isactive, old.expirydate, old.autorenew))
    execute function tell_webhooks('plan.changed', 'subscriptionid',
                                   'subscriptionid,planid,status,isactive,startdate,expirydate,autorenew');
