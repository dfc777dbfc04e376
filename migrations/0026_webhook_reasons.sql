-- Why a delivery failed, as a word that the app translates; `error` says it in a sentence.
alter table webhookdelivery add column reason text;
