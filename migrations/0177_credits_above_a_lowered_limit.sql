-- A lowered limit takes nothing from what is held for work under way. What comes back of it may be more than the limit
-- leaves: that expires, or new work would start above the limit.
create or replace function fold_credits(of_account bigint) returns void language plpgsql volatile as $$
declare
  excess bigint;
begin
  with noted as (
    delete from credit_changes where account_id = of_account returning *
  )
  update credit_accounts
  set available = credit_accounts.available + change.available,
      held = credit_accounts.held + change.held,
      spent = credit_accounts.spent + change.spent
  from (
    select count(*) as many, sum(available) as available, sum(held) as held, sum(spent) as spent
    from noted
  ) as change
  where id = of_account and change.many > 0;

  select least(available, available + held + spent - spent_before - credits_limit * 1000)
  into excess
  from credit_accounts as account
  join tenants on tenants.id = account.tenant_id
  where account.id = of_account and run_id is null and closed_at is null and credits_limit is not null;
  if excess > 0 then
    insert into credit_postings (account_id, kind, source, available, expired)
    values (of_account, 'expire', 'limit ' || gen_random_uuid(), -excess, excess);
  end if;
end $$;

-- What an account has available, without a lock. Null without an account.
create or replace function credits_left(of_account bigint) returns bigint language sql stable strict
return (
  select greatest(0, least(
    account.available + noted.available,
    -- Null, and passed over, for the account of a run.
    (select credits_limit * 1000 from tenants where tenants.id = account.tenant_id and account.run_id is null)
      - (account.held + noted.held) - (account.spent + noted.spent - account.spent_before)
  ))
  from credit_accounts as account
  cross join lateral (
    select coalesce(sum(available), 0)::bigint as available, coalesce(sum(held), 0)::bigint as held,
      coalesce(sum(spent), 0)::bigint as spent
    from credit_changes where account_id = account.id
  ) as noted
  where account.id = of_account
);
