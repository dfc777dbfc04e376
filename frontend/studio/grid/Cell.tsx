/** One value by the type of its column. Everything from the database is shown as text and never interpreted. */
import { type CSSProperties, useState } from "react";
import type { Field, Json } from "../api/types";
import { isArray, isNumber, linkOf, shown } from "../lib/format";
import { type Image, imageOf } from "../lib/images";
import { T } from "../texts";
import { plainOf } from "./kinds";

const MAX_CHARS = 300;

export const alignOf = (field: Field): string => (isNumber(field) && !field.picklist && !field.ref_table ? "right" : "left");

// Hues far apart from each other, without the green and red that mean success and failure.
const HUES = [210, 35, 280, 185, 320, 60, 245, 15];

/** A hue for each choice of a column, in the order of its choices. */
const hueOf = (field: Field, value: Json | undefined): number => HUES[Math.max(0, field.picklist?.indexOf(shown(value)) ?? 0) % HUES.length]!;

interface Props {
  field: Field;
  value: Json | undefined;
  /** Whether images from other hosts are loaded. */
  hasImages?: boolean;
}

export function Value({ field, value, hasImages = false }: Props) {
  const plain = plainOf(field, value);
  if (plain) return plain.kind ? <span className={plain.kind}>{plain.text}</span> : <>{plain.text}</>;
  if (isArray(field) && Array.isArray(value)) {
    return <span className="chips">{value.map((item, index) => <span key={index} className="chip">{shown(item)}</span>)}</span>;
  }
  if (field.picklist) return <span className="chip avatar-colors" style={{ "--hue": hueOf(field, value) } as CSSProperties}>{shown(value)}</span>;
  const image = imageOf(value, location.origin);
  if (image && (image.host === null || hasImages)) return <Thumbnail key={image.source} image={image} text={shown(value)} />;
  const link = linkOf(value);
  if (!link) return <>{shown(value).slice(0, MAX_CHARS)}</>;
  return (
    <>
      {image && <span className="image-switch" data-images={field.name} title={T.showImages(field.name)} />}
      <Out link={link} text={shown(value)} />
    </>
  );
}

const Out = ({ link, text }: { link: string; text: string }) => <a href={link} target="_blank" rel="noopener noreferrer" className="out" tabIndex={-1}>{text}</a>;

/** An image, or its URL if it cannot be loaded. No referrer is sent to its host. */
export function Thumbnail({ image, text, className = "thumbnail" }: { image: Image; text: string; className?: string }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return image.host === null ? <>{text.slice(0, MAX_CHARS)}</> : <Out link={image.source} text={text} />;
  return (
    <img
      className={className}
      src={image.source}
      alt={text.slice(0, 80)}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setBroken(true)}
    />
  );
}
