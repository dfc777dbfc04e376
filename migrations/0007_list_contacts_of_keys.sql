-- outside a transaction
-- Contacts that API keys revealed before 0006 are listed for the owner of the account. Safe to run again.
-- after older transactions
do $$
declare
    done bigint := 0;
    upto bigint;
begin
    loop
        select max(contactid) into upto
        from (select contactid from usercontact where contactid > done order by contactid limit 5000) page;
        exit when upto is null;
        insert into usercontactlink (appuserid, contactid, clientid, listedon, searchname)
        select u.appuserid, c.contactid, c.clientid, c.createdon, lower(c.name)
        from usercontact c
        join appuser u on u.clientid = c.clientid and u.role = 'client' and u.isdeleted = 0
        where c.contactid > done and c.contactid <= upto
          and exists (select 1 from reveal r where r.contactid = c.contactid and r.keyid is not null)
        on conflict do nothing;
        commit;
        done := upto;
    end loop;
end $$;
