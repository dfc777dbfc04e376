/** A preview of a stored value: its image, or its geometry on a map. */
import { Image as ImageIcon, ImageOff } from "lucide-react";
import type { Field, Json } from "../api/types";
import { GeometryMap } from "../geometry/GeometryMap";
import { geometryOf } from "../geometry/shapes";
import { Thumbnail } from "../grid/Cell";
import { shown } from "../lib/format";
import { imageColumn, imageOf, switchImages, useImageColumns } from "../lib/images";
import { T } from "../texts";
import { Button } from "../ui";

interface Props {
  dataset: string;
  table: string;
  field: Field;
  value: Json | undefined;
}

export function Preview({ dataset, table, field, value }: Props) {
  const column = imageColumn(dataset, table, field.name);
  const isLoaded = useImageColumns().has(column);
  const geometry = geometryOf(field, value);
  if (geometry) return <GeometryMap geometry={geometry} />;
  const image = imageOf(value, location.origin);
  if (!image) return null;
  if (image.host === null) return <Thumbnail key={image.source} image={image} text={shown(value)} className="preview" />;
  return (
    <div className="preview-box">
      {isLoaded && <Thumbnail key={image.source} image={image} text={shown(value)} className="preview" />}
      <div className="preview-switch">
        <Button icon={isLoaded ? ImageOff : ImageIcon} onClick={() => switchImages(column)}>{isLoaded ? T.hideImages(field.name) : T.showImages(field.name)}</Button>
        {!isLoaded && <span className="field-hint">{T.imageHint(image.host)}</span>}
      </div>
    </div>
  );
}
