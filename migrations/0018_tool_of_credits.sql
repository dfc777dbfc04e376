-- outside a transaction
-- The tool of an agent that spent a credit. Every statement locks one table and may run again.
alter table creditledger add column if not exists tool text;

create or replace function reveal_contact(
    p_clientid bigint, p_personid bigint, p_kind text, p_appuserid bigint, p_keyid bigint, p_ip text, p_name text,
    p_url text, p_emails text, p_both text, p_business text, p_phones text, p_validation text
) returns jsonb language plpgsql as $$
declare
    credit  usercredit;
    present usercontact;
    contact usercontact;
    plan    record;
    kept    text;
    left_over integer;
    revealed  bigint;
    outcome   text := 'free';
    lister    bigint := p_appuserid;
    -- Set by the statement that calls this function for an agent (product/contacts/reveal.py).
    used constant text := nullif(current_setting('product.tool', true), '');
    dial constant integer := (p_kind = 'directdial')::integer;
    work constant integer := (p_kind = 'businessemail')::integer;
    home constant integer := (p_kind = 'personalemail')::integer;
    account constant text := case p_kind when 'directdial' then 'contactcredit'
                                         when 'businessemail' then 'bus_email_credits'
                                         else 'personal_email_credits' end;
begin
    -- One fixed row per client is the lock: whoever spends or is granted credits waits here.
    select * into credit from usercredit where clientid = p_clientid for update;
    select * into present from usercontact where clientid = p_clientid and personid = p_personid;
    kept := case when work = 1 and present.personalemailcost = 1 or home = 1 and present.businessemailcost = 1
                 then p_both else p_emails end;

    if not exists (select 1 from reveal where clientid = p_clientid and personid = p_personid and kind = p_kind) then
        outcome := 'charged';
        select greatest(s.expirydate, s.graceuntil) > now() as live,
               dial * p.contactcredit + work * p.bus_email_credits + home * p.personal_email_credits as allotted
        into plan from usersubscription s join subscriptionplan p using (planid)
        where s.clientid = p_clientid and s.isactive = 1;
        left_over := dial * credit.contactcredit + work * credit.bus_email_credits
                     + home * credit.personal_email_credits - 1;
        if plan.live is not true or left_over is null or left_over < 0 then
            return jsonb_build_object('outcome', case when plan.live then 'no_credit' else 'expired' end,
                                      'credits', to_jsonb(credit));
        end if;
    end if;

    insert into usercontact as c (clientid, personid, name, linkedinurl, emails, business_emails, phone_numbers,
        bus_email_validation, phonecost, businessemailcost, personalemailcost, revealedby, dialrevealedby,
        title, company, company_domain, country, city)
    select p_clientid, p_personid, p_name, p_url, kept, p_business, p_phones, p_validation, dial, work, home,
           case when dial = 0 then p_appuserid end, case when dial = 1 then p_appuserid end,
           p.title, p.company, p.company_domain, p.country, p.city
    from person p where p.personid = p_personid
    on conflict (clientid, personid) do update set name = excluded.name, deleted = 0,
        emails = coalesce(excluded.emails, c.emails),
        business_emails = coalesce(excluded.business_emails, c.business_emails),
        phone_numbers = coalesce(excluded.phone_numbers, c.phone_numbers),
        bus_email_validation = coalesce(excluded.bus_email_validation, c.bus_email_validation),
        phonecost = greatest(c.phonecost, excluded.phonecost),
        businessemailcost = greatest(c.businessemailcost, excluded.businessemailcost),
        personalemailcost = greatest(c.personalemailcost, excluded.personalemailcost),
        revealedby = coalesce(c.revealedby, excluded.revealedby),
        dialrevealedby = coalesce(c.dialrevealedby, excluded.dialrevealedby),
        title = excluded.title, company = excluded.company, company_domain = excluded.company_domain,
        country = excluded.country, city = excluded.city
    returning * into contact;

    if lister is null then  -- what an API key reveals is listed for the owner of the account
        select appuserid into lister from appuser where clientid = p_clientid and role = 'client' and isdeleted = 0;
    end if;
    if lister is not null then
        insert into usercontactlink (appuserid, contactid, clientid, listedon, searchname)
        values (lister, contact.contactid, p_clientid, contact.createdon, lower(contact.name))
        on conflict do nothing;
    end if;

    if outcome = 'charged' then
        insert into reveal (clientid, personid, kind, contactid, appuserid, keyid)
        values (p_clientid, p_personid, p_kind, contact.contactid, p_appuserid, p_keyid)
        returning revealid into revealed;
        -- Plan credits go first: the bought part shrinks only when nothing else is left.
        update usercredit set
            contactcredit = contactcredit - dial,
            contactcredit_bought = least(contactcredit_bought, contactcredit - dial),
            bus_email_credits = bus_email_credits - work,
            bus_email_credits_bought = least(bus_email_credits_bought, bus_email_credits - work),
            personal_email_credits = personal_email_credits - home,
            personal_email_credits_bought = least(personal_email_credits_bought, personal_email_credits - home)
        where clientid = p_clientid returning * into credit;
        insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id, actor, keyid,
                                  contactid, tool)
        values (p_clientid, account, -1, left_over, 'reveal', 'reveal', revealed::text, p_appuserid, p_keyid,
                contact.contactid, used);
        insert into auditlog (clientid, appuserid, keyid, event, target, detail, ip)
        values (p_clientid, p_appuserid, p_keyid, 'reveal', 'contact ' || contact.contactid,
                jsonb_strip_nulls(jsonb_build_object('kind', p_kind, 'tool', used)), p_ip);
        if left_over in (0, plan.allotted / 5) then
            insert into creditnotice (clientid, kind, threshold)
            values (p_clientid, account, case left_over when 0 then 0 else 20 end) on conflict do nothing;
        end if;
    end if;

    return jsonb_build_object(
        'outcome', outcome, 'credits', to_jsonb(credit),
        'contact', to_jsonb(contact) || jsonb_build_object('createdon', contact.createdon::text),
        -- The directory has lost the other kind since it was paid for: the caller joins old and new itself.
        'unmerged', dial = 0 and kept is null);
end $$;
