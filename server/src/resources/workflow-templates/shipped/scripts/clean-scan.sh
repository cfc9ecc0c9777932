# A scanned page made straight and grey, with the whole contrast. Arguments: the scan, the name to give it.
set -eu
# A page is read in full size once; what does not fit into memory goes to files.
exec convert -limit memory 256MiB -limit map 256MiB "$1" \
  -auto-orient -background white -alpha remove -alpha off -colorspace Gray \
  -deskew 40% +repage -normalize -compress LZW -units PixelsPerInch \
  "/data/outputs/$2.tif"
