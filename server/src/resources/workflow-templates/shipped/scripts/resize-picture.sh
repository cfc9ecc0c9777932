# A picture that fits into a square. Arguments: the picture, the name to give it.
set -eu
case $PARAM_FORMAT in
  # It has no transparency.
  jpg) over='-background white -alpha remove -alpha off' ;;
  *) over='' ;;
esac
# Of several pictures in a file, as of an animation, the first one.
exec convert -limit memory 256MiB -limit map 256MiB "$1[0]" -auto-orient \
  -resize "${PARAM_SIZE}x${PARAM_SIZE}>" $over -strip -quality "$PARAM_QUALITY" \
  "/data/outputs/$2.$PARAM_FORMAT"
